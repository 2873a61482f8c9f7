"""One thread per window."""

TASK = "maxpool"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void pool_kernel(const float* x, float* out, int h, int w, int oh, int ow, int k, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  int column = i % ow, row = i / ow % oh, plane = i / (ow * oh);
  float best = -INFINITY;
  for (int dy = 0; dy < k; ++dy)
    for (int dx = 0; dx < k; ++dx) best = fmaxf(best, x[(plane * h + row * k + dy) * w + column * k + dx]);
  out[i] = best;
}
torch::Tensor pool(torch::Tensor x, int64_t k) {
  int h = x.size(2), w = x.size(3), oh = h / k, ow = w / k;
  auto out = torch::empty({x.size(0), x.size(1), oh, ow}, x.options());
  int total = out.numel();
  pool_kernel<<<(total + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), h, w, oh, ow, k, total);
  return out;
}
"""
extension = load_inline(
    name="cuda_pool", cpp_sources="torch::Tensor pool(torch::Tensor x, int64_t k);", cuda_sources=CUDA, functions=["pool"]
)


class ModelNew(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size

    def forward(self, x):
        return extension.pool(x.contiguous(), self.kernel_size)
