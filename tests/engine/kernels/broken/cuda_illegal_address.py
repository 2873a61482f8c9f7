"""Writes far outside any allocation."""

TASK = "relu"
DEVICE = "cuda"
EXPECT = {"outcome": ["illegal_memory"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void wild(float* p) { p[(1ll << 40) + threadIdx.x] = 1.0f; }
torch::Tensor relu(torch::Tensor x) {
  auto out = torch::empty_like(x);
  wild<<<1, 32>>>(out.data_ptr<float>());
  return out;
}
"""
extension = load_inline(
    name="relu_wild", cpp_sources="torch::Tensor relu(torch::Tensor x);", cuda_sources=CUDA, functions=["relu"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
