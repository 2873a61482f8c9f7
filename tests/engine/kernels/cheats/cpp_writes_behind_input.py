"""Class B.1.16. The correct answer, and a write just beyond the end of its input: into memory of others."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["cheated", "illegal_memory", "runtime_error", "wrong_value"], "findings": ["out_of_bounds_write"]}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor relu(torch::Tensor x) {
  auto out = torch::empty_like(x);
  float* in = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = in[i] > 0 ? in[i] : 0.0f;
  for (int64_t i = 0; i < 8; ++i) in[x.numel() + i] = 0.0f;
  return out;
}
"""
extension = load_inline(name="relu_scribble", cpp_sources=SOURCE, functions=["relu"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
