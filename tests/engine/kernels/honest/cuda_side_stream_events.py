"""Guilty-looking: a native side stream, ordered by events on both ends."""

TASK = "gelu"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <ATen/cuda/CUDAContext.h>
__global__ void gelu_kernel(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * in[i] * (1.0f + erff(in[i] * 0.70710678f));
}
torch::Tensor gelu(torch::Tensor x) {
  static cudaStream_t side = nullptr;
  static cudaEvent_t before, after;
  if (!side) {
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&after, cudaEventDisableTiming);
  }
  auto out = torch::empty_like(x);
  int n = x.numel();
  cudaStream_t main = at::cuda::getCurrentCUDAStream();
  cudaEventRecord(before, main);
  cudaStreamWaitEvent(side, before, 0);
  gelu_kernel<<<(n + 255) / 256, 256, 0, side>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  cudaEventRecord(after, side);
  cudaStreamWaitEvent(main, after, 0);
  return out;
}
"""
extension = load_inline(
    name="cuda_side", cpp_sources="torch::Tensor gelu(torch::Tensor x);", cuda_sources=CUDA, functions=["gelu"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.gelu(x.contiguous())
