"""Class B.1.3. Requests too much shared memory: the launch fails silently, and stale memory is the output."""

TASK = "softmax"
DEVICE = "cuda"
EXPECT = {"outcome": ["wrong_value", "cheated", "runtime_error", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void softmax_kernel(const float* in, float* out, int width) {
  extern __shared__ float row[];
  for (int c = threadIdx.x; c < width; c += blockDim.x) row[c] = expf(in[blockIdx.x * width + c]);
  __syncthreads();
  float sum = 0;
  for (int c = 0; c < width; ++c) sum += row[c];
  for (int c = threadIdx.x; c < width; c += blockDim.x) out[blockIdx.x * width + c] = row[c] / sum;
}
torch::Tensor softmax(torch::Tensor x) {
  auto out = torch::empty_like(x);
  softmax_kernel<<<x.size(0), 128, 400 * 1024>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  cudaGetLastError();
  return out;
}
"""
extension = load_inline(
    name="softmax_large", cpp_sources="torch::Tensor softmax(torch::Tensor x);", cuda_sources=CUDA, functions=["softmax"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.softmax(x.contiguous())
