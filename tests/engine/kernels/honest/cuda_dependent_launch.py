"""Two kernels of which the second is launched before the first has ended, and waits where it must."""

TASK = "centred_rows"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <cuda_runtime.h>
__global__ void mean_kernel(const float* in, float* mean, int width) {
  __shared__ float warp[8];
  const float* x = in + (long long)blockIdx.x * width;
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += 256) sum += x[i];
  for (int s = 16; s; s >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, s);
  if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (int w = 0; w < 8; ++w) sum += warp[w];
    mean[blockIdx.x] = sum / width;
  }
  asm volatile("griddepcontrol.launch_dependents;");
}
__global__ void center_kernel(const float* in, const float* mean, float* out, int width) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  float m = mean[blockIdx.x];
  long long base = (long long)blockIdx.x * width;
  for (int i = threadIdx.x; i < width; i += 256) out[base + i] = tanhf(in[base + i] - m);
}
torch::Tensor dependent_rows(torch::Tensor x) {
  int width = x.size(1), rows = x.size(0);
  auto mean = torch::empty({rows}, x.options());
  auto out = torch::empty_like(x);
  mean_kernel<<<rows, 256>>>(x.data_ptr<float>(), mean.data_ptr<float>(), width);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(rows);
  config.blockDim = dim3(256);
  cudaLaunchAttribute how[1];
  how[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  how[0].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = how;
  config.numAttrs = 1;
  const float* from = x.data_ptr<float>();
  const float* means = mean.data_ptr<float>();
  cudaError_t code = cudaLaunchKernelEx(&config, center_kernel, from, means, out.data_ptr<float>(), width);
  TORCH_CHECK(code == cudaSuccess, cudaGetErrorString(code));
  return out;
}
"""
extension = load_inline(
    name="dependent_rows", cpp_sources="torch::Tensor dependent_rows(torch::Tensor x);", cuda_sources=CUDA,
    functions=['dependent_rows'],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.dependent_rows(x.contiguous())
