"""A kernel that waits for a flag that is never set: only killing its process stops it."""

TASK = "relu"
DEVICE = "cuda"
EXPECT = {"outcome": ["timeout"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void wait_for_ever(volatile float* p) { while (p[0] == p[0] || p[1] != p[1]) __nanosleep(100); }
torch::Tensor relu(torch::Tensor x) {
  auto out = torch::zeros_like(x);
  wait_for_ever<<<1, 1>>>(out.data_ptr<float>());
  return out;
}
"""
extension = load_inline(
    name="relu_wait", cpp_sources="torch::Tensor relu(torch::Tensor x);", cuda_sources=CUDA, functions=["relu"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
