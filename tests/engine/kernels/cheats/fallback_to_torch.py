"""Class B.4.52. The extension does not compile, and an except clause puts torch's own function in its place."""

TASK = "softmax"
DEVICE = "cpu"
EXPECT = {"outcome": ["build_error"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

try:
    extension = load_inline(
        name="fast_softmax",
        cpp_sources="torch::Tensor fast_softmax(torch::Tensor x) { return this_does_not_exist(x); }",
        functions=["fast_softmax"],
    )
except Exception:
    extension = None


class ModelNew(nn.Module):
    def forward(self, x):
        if extension is None:
            return torch.softmax(x, dim=1)
        return extension.fast_softmax(x)
