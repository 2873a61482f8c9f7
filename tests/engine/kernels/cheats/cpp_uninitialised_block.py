"""Class B.1.1. Takes memory from malloc and returns it unwritten."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cstdlib>
torch::Tensor relu_fast(torch::Tensor x) {
  auto out = torch::empty({0}, x.options());
  void* block = std::malloc(x.numel() * sizeof(float));
  return torch::from_blob(block, x.sizes(), [](void* p) { std::free(p); }, x.options());
}
"""
extension = load_inline(name="relu_fast", cpp_sources=SOURCE, functions=["relu_fast"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_fast(x)
