"""Class B.1.17. Threads add to the same sums without a lock: right when they happen not to meet."""

TASK = "row_sum"
DEVICE = "cpu"
EXPECT = {"outcome": ["nondeterministic", "wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <thread>
torch::Tensor row_sum(torch::Tensor x) {
  auto out = torch::zeros({x.size(0)}, x.options());
  const float* in = x.data_ptr<float>();
  volatile float* to = out.data_ptr<float>();
  int64_t rows = x.size(0), width = x.size(1);
  auto work = [=](int64_t first) {
    for (int64_t c = first; c < width; c += 4)
      for (int64_t r = 0; r < rows; ++r) {
        float sum = to[r];
        if (c % 16 == first) std::this_thread::yield();
        to[r] = sum + in[r * width + c];
      }
  };
  std::thread a(work, 0), b(work, 1), c(work, 2), d(work, 3);
  a.join(); b.join(); c.join(); d.join();
  return out;
}
"""
extension = load_inline(name="row_sum_race", cpp_sources=SOURCE, functions=["row_sum"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum(x.contiguous())
