"""One warp per row, reductions by shuffles."""

TASK = "softmax"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <cfloat>
__global__ void softmax_kernel(const float* in, float* out, int rows, int width) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  in += row * width; out += row * width;
  float best = -INFINITY;
  for (int c = threadIdx.x; c < width; c += 32) best = fmaxf(best, in[c]);
  for (int d = 16; d; d /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, d));
  float sum = 0;
  for (int c = threadIdx.x; c < width; c += 32) sum += expf(in[c] - best);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int c = threadIdx.x; c < width; c += 32) out[c] = expf(in[c] - best) / sum;
}
torch::Tensor softmax(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int rows = x.size(0);
  softmax_kernel<<<(rows + 7) / 8, dim3(32, 8)>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, x.size(1));
  return out;
}
"""
extension = load_inline(
    name="cuda_softmax", cpp_sources="torch::Tensor softmax(torch::Tensor x);", cuda_sources=CUDA, functions=["softmax"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.softmax(x.contiguous())
