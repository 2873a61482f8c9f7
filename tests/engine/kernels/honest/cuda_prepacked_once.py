"""Guilty-looking: packs the weights for its kernel at the first call."""

TASK = "linear"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": ["weights_cached"]}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void linear_kernel(const float* x, const float* wt, const float* b, float* out, int m, int k, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  float sum = b[j];
  for (int c = 0; c < k; ++c) sum += x[i * k + c] * wt[c * n + j];
  out[i * n + j] = sum;
}
torch::Tensor linear(torch::Tensor x, torch::Tensor wt, torch::Tensor b) {
  int m = x.size(0), k = x.size(1), n = wt.size(1);
  auto out = torch::empty({m, n}, x.options());
  linear_kernel<<<dim3((n + 63) / 64, m), 64>>>(x.data_ptr<float>(), wt.data_ptr<float>(), b.data_ptr<float>(),
                                                out.data_ptr<float>(), m, k, n);
  return out;
}
"""
extension = load_inline(
    name="cuda_linear",
    cpp_sources="torch::Tensor linear(torch::Tensor x, torch::Tensor wt, torch::Tensor b);",
    cuda_sources=CUDA,
    functions=["linear"],
)


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.packed = None

    def forward(self, x):
        if self.packed is None:
            self.packed = self.linear.weight.detach().t().contiguous()
        return extension.linear(x.contiguous(), self.packed, self.linear.bias.detach())
