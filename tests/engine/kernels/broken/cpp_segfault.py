"""A native extension that writes to address eight."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["runtime_error", "illegal_memory"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor relu(torch::Tensor x) {
  *reinterpret_cast<volatile float*>(8) = 1.0f;
  return x;
}
"""
extension = load_inline(name="relu_segfault", cpp_sources=SOURCE, functions=["relu"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
