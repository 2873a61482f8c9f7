"""One thread per output value."""

TASK = "conv2d"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void conv_kernel(const float* x, const float* w, const float* b, float* out, int ci, int co, int h, int wd,
                            int k, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  int column = i % wd, row = i / wd % h, o = i / (wd * h) % co, n = i / (wd * h * co), pad = k / 2;
  float sum = b[o];
  for (int c = 0; c < ci; ++c)
    for (int dy = 0; dy < k; ++dy)
      for (int dx = 0; dx < k; ++dx) {
        int y = row + dy - pad, z = column + dx - pad;
        if (y >= 0 && y < h && z >= 0 && z < wd)
          sum += x[((n * ci + c) * h + y) * wd + z] * w[((o * ci + c) * k + dy) * k + dx];
      }
  out[i] = sum;
}
torch::Tensor conv(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  int n = x.size(0), ci = x.size(1), h = x.size(2), wd = x.size(3), co = w.size(0), k = w.size(2);
  auto out = torch::empty({n, co, h, wd}, x.options());
  int total = out.numel();
  conv_kernel<<<(total + 127) / 128, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(),
                                            out.data_ptr<float>(), ci, co, h, wd, k, total);
  return out;
}
"""
extension = load_inline(
    name="cuda_conv",
    cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor w, torch::Tensor b);",
    cuda_sources=CUDA,
    functions={"conv": "a direct convolution with same padding"},
)


class ModelNew(nn.Module):
    def __init__(self, channels_in, channels_out, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, kernel_size, padding=1)

    def forward(self, x):
        return extension.conv(x.contiguous(), self.conv.weight.detach(), self.conv.bias.detach())
