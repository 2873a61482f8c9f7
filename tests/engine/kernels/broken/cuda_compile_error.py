"""CUDA that uses an undefined name."""

TASK = "relu"
DEVICE = "cuda"
EXPECT = {"outcome": ["build_error"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void relu_kernel(const float* in, float* out, int n) { out[blockIdx.y] = undefined_name[n]; }
torch::Tensor relu(torch::Tensor x) { auto out = torch::empty_like(x); return out; }
"""
extension = load_inline(
    name="relu_error", cpp_sources="torch::Tensor relu(torch::Tensor x);", cuda_sources=CUDA, functions=["relu"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
