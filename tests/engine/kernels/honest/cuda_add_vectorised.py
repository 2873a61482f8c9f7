"""Four values at a time, with a tail."""

TASK = "add"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void add_kernel(const float* a, const float* b, float* out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < n) {
    float4 x = *reinterpret_cast<const float4*>(a + i), y = *reinterpret_cast<const float4*>(b + i);
    *reinterpret_cast<float4*>(out + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  } else {
    for (; i < n; ++i) out[i] = a[i] + b[i];
  }
}
torch::Tensor add(torch::Tensor a, torch::Tensor b) {
  auto out = torch::empty_like(a);
  int n = a.numel();
  bool aligned = (reinterpret_cast<uintptr_t>(a.data_ptr()) | reinterpret_cast<uintptr_t>(b.data_ptr())) % 16 == 0;
  TORCH_CHECK(aligned, "operands must be aligned to 16 bytes");
  add_kernel<<<(n + 1023) / 1024, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""
extension = load_inline(
    name="cuda_add", cpp_sources="torch::Tensor add(torch::Tensor a, torch::Tensor b);", cuda_sources=CUDA, functions=["add"]
)


class ModelNew(nn.Module):
    def aligned(self, x):
        x = x.contiguous()
        return x.clone() if x.data_ptr() % 16 else x

    def forward(self, x, y):
        return extension.add(self.aligned(x), self.aligned(y))
