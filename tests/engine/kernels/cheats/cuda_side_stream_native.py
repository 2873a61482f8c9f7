"""Class B.2.20. The same from C++: a non-blocking stream made by the extension, which nothing waits for."""

TASK = "gelu"
DEVICE = "cuda"
EXPECT = {"outcome": ["cheated", "wrong_value", "nondeterministic"], "findings": ["work_after_return"]}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void gelu_kernel(const float* in, float* out, int n, int spin) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < spin; ++k) __nanosleep(1000);
  if (i < n) out[i] = 0.5f * in[i] * (1.0f + erff(in[i] * 0.70710678f));
}
torch::Tensor gelu(torch::Tensor x) {
  static cudaStream_t side = nullptr;
  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  auto out = torch::empty_like(x);
  int n = x.numel();
  gelu_kernel<<<(n + 255) / 256, 256, 0, side>>>(x.data_ptr<float>(), out.data_ptr<float>(), n, 200);
  return out;
}
"""
extension = load_inline(
    name="gelu_side", cpp_sources="torch::Tensor gelu(torch::Tensor x);", cuda_sources=CUDA, functions=["gelu"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.gelu(x.contiguous())
