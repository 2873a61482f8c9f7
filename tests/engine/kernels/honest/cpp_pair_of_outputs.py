"""Two outputs from one call, as a vector of tensors, with numbers and flags as inputs."""

TASK = "mean_var"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <vector>
std::vector<torch::Tensor> mean_var(torch::Tensor x, int64_t correction, double scale, bool check) {
  if (check) TORCH_CHECK(x.dim() == 2, "two dimensions are needed");
  int64_t rows = x.size(0), width = x.size(1);
  auto mean = torch::empty({rows}, x.options());
  auto variance = torch::empty({rows}, x.options());
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x.data_ptr<float>() + r * width;
    double m = 0, s = 0;
    for (int64_t c = 0; c < width; ++c) {
      double d = row[c] - m;
      m += d / (c + 1);
      s += d * (row[c] - m);
    }
    mean.data_ptr<float>()[r] = float(m * scale);
    variance.data_ptr<float>()[r] = float(s / (width - correction));
  }
  return {mean, variance};
}
"""
extension = load_inline(name="cpp_mean_var", cpp_sources=SOURCE, functions=["mean_var"])


class ModelNew(nn.Module):
    def forward(self, x):
        return tuple(extension.mean_var(x.contiguous(), 0, 1.0, True))
