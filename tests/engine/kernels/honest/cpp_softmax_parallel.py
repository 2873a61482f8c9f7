"""Rows in parallel by torch's own threads."""

TASK = "softmax"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>
#include <cmath>
torch::Tensor softmax(const torch::Tensor& x) {
  auto out = at::empty_like(x);
  const float* in = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  int64_t width = x.size(1);
  at::parallel_for(0, x.size(0), 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* row = in + r * width;
      float best = row[0], sum = 0;
      for (int64_t c = 1; c < width; ++c) best = std::max(best, row[c]);
      for (int64_t c = 0; c < width; ++c) sum += to[r * width + c] = std::exp(row[c] - best);
      for (int64_t c = 0; c < width; ++c) to[r * width + c] /= sum;
    }
  });
  return out;
}
"""
extension = load_inline(
    name="cpp_softmax", cpp_sources=SOURCE, functions=["softmax"], extra_cflags=["-O3", "-march=native"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.softmax(x.contiguous())
