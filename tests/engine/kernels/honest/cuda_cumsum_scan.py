"""A scan in shared memory, block after block of a row."""

TASK = "cumsum"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void scan_kernel(const float* in, float* out, int width) {
  __shared__ float part[2][256];
  in += blockIdx.x * width; out += blockIdx.x * width;
  float carry = 0;
  for (int start = 0; start < width; start += 256) {
    int c = start + threadIdx.x, side = 0;
    part[0][threadIdx.x] = c < width ? in[c] : 0.0f;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2, side ^= 1) {
      float v = part[side][threadIdx.x];
      part[side ^ 1][threadIdx.x] = threadIdx.x >= d ? v + part[side][threadIdx.x - d] : v;
      __syncthreads();
    }
    if (c < width) out[c] = carry + part[side][threadIdx.x];
    carry += part[side][255];
    __syncthreads();
  }
}
torch::Tensor scan(torch::Tensor x) {
  auto out = torch::empty_like(x);
  scan_kernel<<<x.size(0), 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
"""
extension = load_inline(
    name="cuda_cumsum", cpp_sources="torch::Tensor scan(torch::Tensor x);", cuda_sources=CUDA, functions=["scan"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.scan(x.contiguous())
