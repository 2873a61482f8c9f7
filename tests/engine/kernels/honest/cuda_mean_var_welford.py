"""Both outputs in one pass over each row."""

TASK = "mean_var"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <vector>
__global__ void mean_var_kernel(const float* in, float* mean, float* variance, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double m = 0, s = 0;
  for (int c = 0; c < width; ++c) {
    double d = in[r * width + c] - m;
    m += d / (c + 1);
    s += d * (in[r * width + c] - m);
  }
  mean[r] = m;
  variance[r] = s / width;
}
std::vector<torch::Tensor> mean_var(torch::Tensor x) {
  int rows = x.size(0);
  auto mean = torch::empty({rows}, x.options()), variance = torch::empty({rows}, x.options());
  mean_var_kernel<<<(rows + 31) / 32, 32>>>(x.data_ptr<float>(), mean.data_ptr<float>(), variance.data_ptr<float>(),
                                            rows, x.size(1));
  return {mean, variance};
}
"""
extension = load_inline(
    name="cuda_mean_var",
    cpp_sources="std::vector<torch::Tensor> mean_var(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["mean_var"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return tuple(extension.mean_var(x.contiguous()))
