"""Uses torch's C++ frontend itself, which requires the full headers."""

TASK = "maxpool"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>
namespace F = torch::nn::functional;
torch::Tensor pool(torch::Tensor x, int64_t k) { return F::max_pool2d(x, F::MaxPool2dFuncOptions(k)); }
"""
extension = load_inline(name="cpp_frontend", cpp_sources=SOURCE, functions=["pool"])


class ModelNew(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size

    def forward(self, x):
        return extension.pool(x, self.kernel_size)
