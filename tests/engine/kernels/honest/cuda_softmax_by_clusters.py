"""Clusters of eight blocks a row, which exchange through distributed shared memory."""

TASK = "softmax_wide"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ inline float block_max(float v, float* buffer) {
  for (int s = 16; s; s >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, s));
  if (threadIdx.x % 32 == 0) buffer[threadIdx.x / 32] = v;
  __syncthreads();
  v = buffer[0];
  for (int w = 1; w < 8; ++w) v = fmaxf(v, buffer[w]);
  __syncthreads();
  return v;
}
__device__ inline float block_sum(float v, float* buffer) {
  for (int s = 16; s; s >>= 1) v += __shfl_xor_sync(0xffffffffu, v, s);
  if (threadIdx.x % 32 == 0) buffer[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int w = 0; w < 8; ++w) v += buffer[w];
  __syncthreads();
  return v;
}
__global__ void __cluster_dims__(8, 1, 1) softmax_kernel(const float* in, float* out, int width) {
  __shared__ float buffer[8];
  __shared__ float mine[2];
  cg::cluster_group cluster = cg::this_cluster();
  int rank = cluster.block_rank(), row = blockIdx.x / 8, part = (width + 7) / 8;
  int first = rank * part, last = min(width, first + part);
  const float* x = in + (long long)row * width;
  float* y = out + (long long)row * width;
  float top = -INFINITY;
  for (int i = first + threadIdx.x; i < last; i += blockDim.x) top = fmaxf(top, x[i]);
  top = block_max(top, buffer);
  if (threadIdx.x == 0) mine[0] = top;
  cluster.sync();
  for (int r = 0; r < 8; ++r) top = fmaxf(top, cluster.map_shared_rank(mine, r)[0]);
  float sum = 0;
  for (int i = first + threadIdx.x; i < last; i += blockDim.x) sum += expf(x[i] - top);
  sum = block_sum(sum, buffer);
  if (threadIdx.x == 0) mine[1] = sum;
  cluster.sync();
  sum = 0;
  for (int r = 0; r < 8; ++r) sum += cluster.map_shared_rank(mine, r)[1];
  float scale = 1 / sum;
  for (int i = first + threadIdx.x; i < last; i += blockDim.x) y[i] = expf(x[i] - top) * scale;
  cluster.sync();
}
torch::Tensor cluster_softmax(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int width = x.size(-1), rows = x.numel() / width;
  softmax_kernel<<<rows * 8, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), width);
  return out;
}
"""
extension = load_inline(
    name="cluster_softmax", cpp_sources="torch::Tensor cluster_softmax(torch::Tensor x);", cuda_sources=CUDA,
    functions=['cluster_softmax'],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.cluster_softmax(x.contiguous())
