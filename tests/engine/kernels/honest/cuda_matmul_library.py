"""Guilty-looking: the extension calls torch's own product. Allowed, and labelled."""

TASK = "matmul"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": ["uses_library_gemm"]}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
torch::Tensor gemm(torch::Tensor a, torch::Tensor b) { return at::matmul(a, b); }
"""
extension = load_inline(
    name="cuda_library",
    cpp_sources="torch::Tensor gemm(torch::Tensor a, torch::Tensor b);",
    cuda_sources=CUDA,
    functions=["gemm"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.gemm(a, b)
