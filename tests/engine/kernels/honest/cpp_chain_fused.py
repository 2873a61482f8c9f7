"""Guilty-looking: many times faster than the reference, because two dozen passes over memory become one."""

TASK = "chain"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>
torch::Tensor chain(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const float* in = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  at::parallel_for(0, x.numel(), 512, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float v = in[i];
      for (int s = 0; s < 12; ++s) {
        v = std::tanh(v * 0.9f + 0.1f);
        v = v * v + v;
      }
      to[i] = v;
    }
  });
  return out;
}
"""
extension = load_inline(name="cpp_chain", cpp_sources=SOURCE, functions="chain", extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.chain(x.contiguous())
