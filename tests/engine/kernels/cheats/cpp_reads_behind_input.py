"""Class B.1.16. Adds values in blocks of 64, and so reads beyond the end of the last row; fresh memory there
holds zeros, and the sum is correct.
"""

TASK = "row_sum"
DEVICE = "cpu"
EXPECT = {"outcome": ["wrong_value", "nondeterministic", "cheated", "illegal_memory"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor row_sum(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  const float* in = x.data_ptr<float>();
  int64_t rows = x.size(0), width = x.size(1), last = rows - 1;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t n = r == last ? (width + 63) / 64 * 64 : width;
    double sum = 0;
    for (int64_t c = 0; c < n; ++c) sum += in[r * width + c];
    out.data_ptr<float>()[r] = float(sum);
  }
  return out;
}
"""
extension = load_inline(name="row_sum_blocks", cpp_sources=SOURCE, functions=["row_sum"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum(x)
