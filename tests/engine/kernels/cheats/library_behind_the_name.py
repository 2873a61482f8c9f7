"""Class B.4.51. A "kernel" that is torch's own product. Correct, and to be labelled as such."""

TASK = "matmul"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["uses_library_gemm", "no_custom_kernel"]}

import torch
import torch.nn as nn


def blazing_fast_custom_gemm_kernel(a, b):
    return torch.mm(a, b)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return blazing_fast_custom_gemm_kernel(a, b)
