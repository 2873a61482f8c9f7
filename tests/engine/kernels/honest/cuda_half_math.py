"""Half precision with the intrinsics of the toolkit."""

TASK = "half_scale"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <cuda_fp16.h>
__global__ void scale_kernel(const __half* in, __half* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(__half2float(in[i]) * 0.5f + 1.0f);
}
torch::Tensor scale(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int n = x.numel();
  scale_kernel<<<(n + 255) / 256, 256>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
                                         reinterpret_cast<__half*>(out.data_ptr<at::Half>()), n);
  return out;
}
"""
extension = load_inline(
    name="cuda_half", cpp_sources="torch::Tensor scale(torch::Tensor x);", cuda_sources=CUDA, functions=["scale"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.scale(x.contiguous())
