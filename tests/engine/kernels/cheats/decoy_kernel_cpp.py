"""Class B.4.53. A compiled kernel works on scratch memory as a decoy; the library's product is returned."""

TASK = "matmul"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": ["uses_library_gemm"]}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor tiled_gemm(torch::Tensor a) {
  auto scratch = torch::zeros({16});
  float* p = scratch.data_ptr<float>();
  for (int i = 0; i < 16; ++i) p[i] = i * 0.5f;
  return scratch;
}
"""
extension = load_inline(name="tiled_gemm", cpp_sources=SOURCE, functions=["tiled_gemm"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        extension.tiled_gemm(a)
        return torch.matmul(a, b)
