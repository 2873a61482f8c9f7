"""One warp copies tiles ahead while the others compute; they meet at named barriers."""

TASK = "doubled_tanh"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <cuda_runtime.h>
// Barriers 1 and 2: a stage is full; 3 and 4: a stage is empty. 32 loading and 128 computing threads.
__device__ inline void meet(int barrier) { asm volatile("bar.sync %0, 160;" ::"r"(barrier) : "memory"); }
__device__ inline void pass(int barrier) { asm volatile("bar.arrive %0, 160;" ::"r"(barrier) : "memory"); }
__global__ void kinds_kernel(const float4* in, float4* out, int tiles) {
  __shared__ float4 stage[2][256];
  int t = threadIdx.x, count = 0;
  if (t < 32) {
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++count) {
      int s = count & 1;
      if (count >= 2) meet(3 + s);
      for (int i = t; i < 256; i += 32) {
        unsigned to = (unsigned)__cvta_generic_to_shared(&stage[s][i]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + (long long)tile * 256 + i) : "memory");
      }
      asm volatile("cp.async.wait_all;" ::: "memory");
      __threadfence_block();
      pass(1 + s);
    }
  } else {
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++count) {
      int s = count & 1;
      meet(1 + s);
      for (int i = t - 32; i < 256; i += 128) {
        float4 v = stage[s][i];
        out[(long long)tile * 256 + i] = make_float4(tanhf(v.x) * 2, tanhf(v.y) * 2, tanhf(v.z) * 2, tanhf(v.w) * 2);
      }
      if (tile + 2LL * gridDim.x < tiles) pass(3 + s);
    }
  }
}
__global__ void rest_kernel(const float* in, float* out, long long from, long long n) {
  long long i = from + blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = tanhf(in[i]) * 2;
}
torch::Tensor two_kinds(torch::Tensor x) {
  auto out = torch::empty_like(x);
  long long n = x.numel();
  int tiles = n / 1024;
  if (tiles) kinds_kernel<<<528, 160>>>((const float4*)x.data_ptr<float>(), (float4*)out.data_ptr<float>(), tiles);
  if (n % 1024) rest_kernel<<<4, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n / 1024 * 1024LL, n);
  return out;
}
"""
extension = load_inline(
    name="two_kinds", cpp_sources="torch::Tensor two_kinds(torch::Tensor x);", cuda_sources=CUDA,
    functions=['two_kinds'],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.two_kinds(x.contiguous())
