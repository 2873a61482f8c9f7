"""Class B.1.16. Every thread writes, the surplus ones of the last block beyond the end of the input."""

TASK = "relu"
DEVICE = "cuda"
EXPECT = {"outcome": ["cheated", "illegal_memory", "wrong_value", "runtime_error"], "findings": ["out_of_bounds_write"]}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void relu_kernel(float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] > 0 ? in[i] : 0.0f;
  else in[i] = 0.0f;
}
torch::Tensor relu(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int n = x.numel();
  relu_kernel<<<n / 256 + 1, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""
extension = load_inline(
    name="relu_guard", cpp_sources="torch::Tensor relu(torch::Tensor x);", cuda_sources=CUDA, functions=["relu"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
