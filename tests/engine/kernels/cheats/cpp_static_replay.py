"""Class B.2.23. Keeps the first answer in a static variable of the extension, invisible to Python code."""

TASK = "gelu"
DEVICE = "cpu"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>
torch::Tensor gelu(torch::Tensor x) {
  static torch::Tensor kept;
  if (!kept.defined() || kept.sizes() != x.sizes()) {
    kept = torch::empty_like(x);
    const float* in = x.data_ptr<float>();
    float* out = kept.data_ptr<float>();
    for (int64_t i = 0; i < x.numel(); ++i) out[i] = 0.5f * in[i] * (1.0f + std::erf(in[i] * 0.70710678f));
  }
  return kept.clone();
}
"""
extension = load_inline(name="gelu_static", cpp_sources=SOURCE, functions=["gelu"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.gelu(x.contiguous())
