"""Asks the compiler to load a plugin."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["build_error"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

extension = load_inline(
    name="relu_plugin",
    cpp_sources="torch::Tensor relu(torch::Tensor x) { return x.relu(); }",
    functions=["relu"],
    extra_cflags=["-O2", "-fplugin=/tmp/plugin.so"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
