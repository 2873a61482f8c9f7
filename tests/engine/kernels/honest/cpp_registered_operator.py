"""An operator registered with torch instead of a Python module."""

TASK = "gelu"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/library.h>
#include <ATen/ATen.h>
#include <cmath>
at::Tensor gelu(const at::Tensor& x) {
  auto out = at::empty_like(x);
  const float* in = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = 0.5f * in[i] * (1.0f + std::erf(in[i] * 0.70710678f));
  return out;
}
TORCH_LIBRARY(honest_gelu, m) { m.def("gelu(Tensor x) -> Tensor", gelu); }
"""
load_inline(name="honest_gelu_library", cpp_sources=SOURCE, is_python_module=False)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.ops.honest_gelu.gelu(x.contiguous())
