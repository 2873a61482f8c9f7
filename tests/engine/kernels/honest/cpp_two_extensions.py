"""Two extensions, the second one built on the first call, under a name with the process id in it."""

TASK = "mean_var"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import os

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

MEAN = """
torch::Tensor mean(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  for (int64_t r = 0; r < x.size(0); ++r) {
    double sum = 0;
    for (int64_t c = 0; c < x.size(1); ++c) sum += x.data_ptr<float>()[r * x.size(1) + c];
    out.data_ptr<float>()[r] = float(sum / x.size(1));
  }
  return out;
}
"""
VARIANCE = """
torch::Tensor variance(torch::Tensor x, const torch::Tensor& mean) {
  auto out = torch::empty({x.size(0)}, x.options());
  for (int64_t r = 0; r < x.size(0); ++r) {
    double sum = 0, centre = mean.data_ptr<float>()[r];
    for (int64_t c = 0; c < x.size(1); ++c) {
      double d = x.data_ptr<float>()[r * x.size(1) + c] - centre;
      sum += d * d;
    }
    out.data_ptr<float>()[r] = float(sum / x.size(1));
  }
  return out;
}
"""
first = load_inline(name=f"row_mean_{os.getpid()}", cpp_sources=MEAN, functions=["mean"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.second = None

    def forward(self, x):
        if self.second is None:
            self.second = load_inline(name=f"row_var_{os.getpid()}", cpp_sources=VARIANCE, functions=["variance"])
        x = x.contiguous()
        mean = first.mean(x)
        return mean, self.second.variance(x, mean)
