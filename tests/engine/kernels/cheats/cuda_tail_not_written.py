"""Class B.1.18. Launches as many whole blocks as fit and leaves the tail unwritten."""

TASK = "add"
DEVICE = "cuda"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void add_kernel(const float* a, const float* b, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i];
}
torch::Tensor add(torch::Tensor a, torch::Tensor b) {
  auto out = torch::empty_like(a);
  add_kernel<<<a.numel() / 1024, 1024>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>());
  return out;
}
"""
extension = load_inline(
    name="add_tail", cpp_sources="torch::Tensor add(torch::Tensor a, torch::Tensor b);", cuda_sources=CUDA, functions=["add"]
)


class ModelNew(nn.Module):
    def forward(self, x, y):
        return extension.add(x.contiguous(), y.contiguous())
