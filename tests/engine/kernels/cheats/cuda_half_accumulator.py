"""Class B.1.9. Accumulates in half precision."""

TASK = "row_sum"
DEVICE = "cuda"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <cuda_fp16.h>
__global__ void row_sum_kernel(const float* in, float* out, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  __half sum = __float2half(0.0f);
  for (int c = 0; c < width; ++c) sum = __hadd(sum, __float2half(in[r * width + c]));
  out[r] = __half2float(sum);
}
torch::Tensor row_sum(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  int rows = x.size(0);
  row_sum_kernel<<<(rows + 63) / 64, 64>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, x.size(1));
  return out;
}
"""
extension = load_inline(
    name="row_sum_half", cpp_sources="torch::Tensor row_sum(torch::Tensor x);", cuda_sources=CUDA, functions=["row_sum"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum(x.contiguous())
