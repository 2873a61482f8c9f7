"""Guilty-looking: far faster than the reference, because one launch does what sixty did."""

TASK = "chain"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void chain_kernel(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  for (int s = 0; s < 12; ++s) {
    v = tanhf(v * 0.9f + 0.1f);
    v = v * v + v;
  }
  out[i] = v;
}
torch::Tensor chain(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int n = x.numel();
  chain_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""
extension = load_inline(
    name="cuda_chain", cpp_sources="torch::Tensor chain(torch::Tensor x);", cuda_sources=CUDA, functions=["chain"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.chain(x.contiguous())
