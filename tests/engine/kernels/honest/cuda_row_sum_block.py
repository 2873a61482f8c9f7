"""A block reduction with all required barriers."""

TASK = "row_sum"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void row_sum_kernel(const float* in, float* out, int width) {
  __shared__ float part[256];
  float sum = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) sum += in[blockIdx.x * width + c];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 128; step; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
torch::Tensor row_sum(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  row_sum_kernel<<<x.size(0), 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
"""
extension = load_inline(
    name="cuda_row_sum", cpp_sources="torch::Tensor row_sum(torch::Tensor x);", cuda_sources=CUDA, functions=["row_sum"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum(x.contiguous())
