"""A template that compiles longer than any deadline."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["build_timeout", "build_error"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
template <int D, unsigned long long P> struct Tree {
  static const unsigned long long value = Tree<D - 1, 2 * P>::value + Tree<D - 1, 2 * P + 1>::value;
};
template <unsigned long long P> struct Tree<0, P> { static const unsigned long long value = P; };
static unsigned long long bomb = Tree<30, 1>::value;
torch::Tensor relu(torch::Tensor x) { return x.relu(); }
"""
extension = load_inline(name="relu_bomb", cpp_sources=SOURCE, functions=["relu"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
