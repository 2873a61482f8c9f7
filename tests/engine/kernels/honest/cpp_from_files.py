"""Sources and a header written to their own folder, and loaded from there."""

TASK = "row_sum"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load

FOLDER = tempfile.mkdtemp()
HEADER = """
#pragma once
inline float total(const float* row, long width) {
  double sum = 0;
  for (long c = 0; c < width; ++c) sum += row[c];
  return float(sum);
}
"""
SOURCE = """
#include <torch/extension.h>
#include "total.h"
torch::Tensor row_sum(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  for (int64_t r = 0; r < x.size(0); ++r)
    out.data_ptr<float>()[r] = total(x.data_ptr<float>() + r * x.size(1), x.size(1));
  return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("row_sum", &row_sum); }
"""
for name, text in (("total.h", HEADER), ("row_sum.cpp", SOURCE)):
    with open(os.path.join(FOLDER, name), "w") as file:
        file.write(text)
extension = load(name="row_sum_files", sources=[os.path.join(FOLDER, "row_sum.cpp")], verbose=False)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum(x.contiguous())
