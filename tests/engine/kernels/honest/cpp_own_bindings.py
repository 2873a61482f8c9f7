"""Bindings of its own with pybind11, with a named argument that has a default value."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>
at::Tensor relu(const at::Tensor& x, double floor) {
  auto out = at::empty(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "relu", [&] {
    auto in = x.data_ptr<scalar_t>();
    auto to = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < x.numel(); ++i) to[i] = std::max(in[i], scalar_t(floor));
  });
  return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("relu", &relu, "relu with a floor", py::arg("x"), py::arg("floor") = 0.0);
}
"""
extension = load_inline(name="cpp_own_bindings", cpp_sources=SOURCE)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x=x.contiguous())
