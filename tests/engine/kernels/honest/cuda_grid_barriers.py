"""One cooperative launch whose blocks meet at barriers of the whole grid."""

TASK = "standardised"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ inline double block_sum(double v, double* buffer) {
  for (int s = 16; s; s >>= 1) v += __shfl_xor_sync(0xffffffffu, v, s);
  if (threadIdx.x % 32 == 0) buffer[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int w = 0; w < 8; ++w) v += buffer[w];
  __syncthreads();
  return v;
}
__global__ void norm_kernel(const float* in, float* out, double* parts, int n) {
  __shared__ double buffer[8];
  cg::grid_group grid = cg::this_grid();
  int step = gridDim.x * blockDim.x, from = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int i = from; i < n; i += step) sum += in[i];
  sum = block_sum(sum, buffer);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  grid.sync();
  double mean = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) mean += parts[b];
  mean = block_sum(mean, buffer) / n;
  double squares = 0;
  for (int i = from; i < n; i += step) squares += (in[i] - mean) * (in[i] - mean);
  squares = block_sum(squares, buffer);
  if (threadIdx.x == 0) parts[gridDim.x + blockIdx.x] = squares;
  grid.sync();
  double variance = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) variance += parts[gridDim.x + b];
  variance = block_sum(variance, buffer) / (n - 1);
  float m = (float)mean, r = (float)(1.0 / sqrt(variance));
  for (int i = from; i < n; i += step) out[i] = (in[i] - m) * r;
}
torch::Tensor grid_norm(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int blocks = 264, n = x.numel();
  auto parts = torch::empty({2 * blocks}, x.options().dtype(torch::kDouble));
  const float* from = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  double* part = parts.data_ptr<double>();
  void* arguments[] = {&from, &to, &part, &n};
  cudaError_t code = cudaLaunchCooperativeKernel((const void*)norm_kernel, dim3(blocks), dim3(256), arguments, 0, 0);
  TORCH_CHECK(code == cudaSuccess, cudaGetErrorString(code));
  return out;
}
"""
extension = load_inline(
    name="grid_norm", cpp_sources="torch::Tensor grid_norm(torch::Tensor x);", cuda_sources=CUDA,
    functions=['grid_norm'],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.grid_norm(x.contiguous())
