"""Bindings inside the CUDA file, as older repositories have them; dispatch over types."""

TASK = "gelu"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <torch/extension.h>
template <typename scalar_t>
__global__ void gelu_kernel(const scalar_t* in, scalar_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scalar_t(0.5) * in[i] * (scalar_t(1) + erf(in[i] * scalar_t(0.70710678118654752)));
}
torch::Tensor gelu(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must be on the device");
  auto out = torch::empty_like(x);
  int n = x.numel();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "gelu", ([&] {
    gelu_kernel<scalar_t><<<(n + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n);
  }));
  return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("gelu", &gelu); }
"""
extension = load_inline(name="cuda_gelu", cpp_sources="", cuda_sources=CUDA)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.gelu(x.contiguous())
