"""A gather of rows by 64-bit indices."""

TASK = "embedding"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void gather_kernel(const long long* index, const float* table, float* out, int width) {
  const float* row = table + index[blockIdx.x] * width;
  for (int c = threadIdx.x; c < width; c += blockDim.x) out[blockIdx.x * width + c] = row[c];
}
torch::Tensor gather(torch::Tensor index, torch::Tensor table) {
  int width = table.size(1);
  auto out = torch::empty({index.size(0), index.size(1), width}, table.options());
  gather_kernel<<<index.numel(), 32>>>(reinterpret_cast<const long long*>(index.data_ptr<int64_t>()),
                                       table.data_ptr<float>(), out.data_ptr<float>(), width);
  return out;
}
"""
extension = load_inline(
    name="cuda_gather",
    cpp_sources="torch::Tensor gather(torch::Tensor index, torch::Tensor table);",
    cuda_sources=CUDA,
    functions=["gather"],
)


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)

    def forward(self, index):
        return extension.gather(index.contiguous(), self.table.weight.detach())
