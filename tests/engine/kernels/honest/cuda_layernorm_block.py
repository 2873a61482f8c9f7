"""One block per row, two passes in shared memory."""

TASK = "layernorm"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__device__ float block_sum(float v, float* shared) {
  shared[threadIdx.x] = v;
  __syncthreads();
  for (int step = blockDim.x / 2; step; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  float sum = shared[0];
  __syncthreads();
  return sum;
}
__global__ void layernorm_kernel(const float* in, const float* w, const float* b, float* out, int width, float eps) {
  __shared__ float shared[128];
  in += blockIdx.x * width; out += blockIdx.x * width;
  float sum = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) sum += in[c];
  float mean = block_sum(sum, shared) / width;
  float squares = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) squares += (in[c] - mean) * (in[c] - mean);
  float scale = 1.0f / sqrtf(block_sum(squares, shared) / width + eps);
  for (int c = threadIdx.x; c < width; c += blockDim.x) out[c] = (in[c] - mean) * scale * w[c] + b[c];
}
torch::Tensor layernorm(torch::Tensor x, torch::Tensor w, torch::Tensor b, double eps) {
  auto out = torch::empty_like(x);
  layernorm_kernel<<<x.size(0), 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(),
                                       out.data_ptr<float>(), x.size(1), eps);
  return out;
}
"""
extension = load_inline(
    name="cuda_layernorm",
    cpp_sources="torch::Tensor layernorm(torch::Tensor x, torch::Tensor w, torch::Tensor b, double eps);",
    cuda_sources=CUDA,
    functions=["layernorm"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        weight, bias = self.norm.weight.detach(), self.norm.bias.detach()
        return extension.layernorm(x.contiguous(), weight, bias, self.norm.eps)
