"""A tiled product with the weights in their original layout."""

TASK = "linear"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  int64_t m = x.size(0), k = x.size(1), n = w.size(0);
  auto out = b.expand({m, n}).contiguous();
  const float *px = x.data_ptr<float>(), *pw = w.data_ptr<float>();
  float* po = out.data_ptr<float>();
  for (int64_t start = 0; start < k; start += 16) {
    int64_t end = std::min(start + 16, k);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t c = start; c < end; ++c) sum += px[i * k + c] * pw[j * k + c];
        po[i * n + j] += sum;
      }
  }
  return out;
}
"""
extension = load_inline(name="cpp_linear", cpp_sources=SOURCE, functions=["linear"], extra_cflags=["-O2", "-funroll-loops"])


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return extension.linear(x.contiguous(), self.linear.weight.detach(), self.linear.bias.detach())
