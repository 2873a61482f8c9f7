"""Guilty-looking: native threads, all of them joined."""

TASK = "cumsum"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <thread>
torch::Tensor scan(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int64_t rows = x.size(0), width = x.size(1);
  const float* in = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  auto work = [=](int64_t first) {
    for (int64_t r = first; r < rows; r += 2) {
      double sum = 0;
      for (int64_t c = 0; c < width; ++c) to[r * width + c] = float(sum += in[r * width + c]);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  return out;
}
"""
extension = load_inline(name="cpp_scan", cpp_sources=SOURCE, functions=["scan"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.scan(x.contiguous())
