"""Binds a function that no C++ source declares: the most common fault of released kernels."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["build_error"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

extension = load_inline(
    name="relu_undeclared",
    cpp_sources="torch::Tensor relu(torch::Tensor x) { return x.relu(); }",
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
