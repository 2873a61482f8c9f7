"""The simplest possible extension."""

TASK = "add"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor add(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.sizes() == b.sizes(), "sizes differ");
  auto out = torch::empty_like(a);
  const float *pa = a.data_ptr<float>(), *pb = b.data_ptr<float>();
  float* po = out.data_ptr<float>();
  for (int64_t i = 0; i < a.numel(); ++i) po[i] = pa[i] + pb[i];
  return out;
}
"""
extension = load_inline(name="cpp_add", cpp_sources=[SOURCE], functions=["add"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x, y):
        return extension.add(x.contiguous(), y.contiguous())
