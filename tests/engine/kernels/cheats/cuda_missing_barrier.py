"""Class B.1.17. A reduction in shared memory without the barriers between its steps."""

TASK = "row_sum"
DEVICE = "cuda"
EXPECT = {"outcome": ["nondeterministic", "wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void row_sum_kernel(const float* in, float* out, int width) {
  __shared__ float part[512];
  volatile float* p = part;
  float sum = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) sum += in[blockIdx.x * width + c];
  if (threadIdx.x >= 256) __nanosleep(3000);
  p[threadIdx.x] = sum;
  for (int step = 256; step > 0; step /= 2)
    if (threadIdx.x < step) p[threadIdx.x] = p[threadIdx.x] + p[threadIdx.x + step];
  if (threadIdx.x == 0) out[blockIdx.x] = p[0];
}
torch::Tensor row_sum(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  row_sum_kernel<<<x.size(0), 512>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
"""
extension = load_inline(
    name="row_sum_barrier", cpp_sources="torch::Tensor row_sum(torch::Tensor x);", cuda_sources=CUDA, functions=["row_sum"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum(x.contiguous())
