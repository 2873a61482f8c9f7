"""Guilty-looking: in an order of many calls each takes twice as long as alone, since 32 streams wait for one another."""

TASK = "gelu"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
__global__ void gelu_kernel(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * in[i] * (1.0f + erff(in[i] * 0.70710678f));
}
torch::Tensor gelu(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int n = x.numel(), half = n / 2, rest = n - half;
  auto main = at::cuda::getCurrentCUDAStream(), side = at::cuda::getStreamFromPool(true);
  at::cuda::CUDAEvent before, after;
  before.record(main);
  before.block(side);
  gelu_kernel<<<(half + 255) / 256, 256, 0, side>>>(x.data_ptr<float>(), out.data_ptr<float>(), half);
  gelu_kernel<<<(rest + 255) / 256, 256, 0, main>>>(x.data_ptr<float>() + half, out.data_ptr<float>() + half, rest);
  after.record(side);
  after.block(main);
  return out;
}
"""
extension = load_inline(
    name="cuda_pool", cpp_sources="torch::Tensor gelu(torch::Tensor x);", cuda_sources=CUDA, functions=["gelu"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.gelu(x.contiguous())
