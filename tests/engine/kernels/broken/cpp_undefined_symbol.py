"""Declares a function that is not defined: it links, and cannot be loaded."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["load_error", "runtime_error", "build_error"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor elsewhere(torch::Tensor x);
torch::Tensor relu(torch::Tensor x) { return elsewhere(x); }
"""
extension = load_inline(name="relu_undefined", cpp_sources=SOURCE, functions=["relu"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
