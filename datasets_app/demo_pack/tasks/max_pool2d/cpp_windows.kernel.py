import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cstdint>

torch::Tensor max_pool2d(torch::Tensor x, int64_t size, int64_t stride, int64_t pad) {
    x = x.contiguous();
    const std::int64_t planes = x.size(0) * x.size(1), height = x.size(2), width = x.size(3);
    const std::int64_t out_h = (height + 2 * pad - size) / stride + 1;
    const std::int64_t out_w = (width + 2 * pad - size) / stride + 1;
    auto out = torch::empty({x.size(0), x.size(1), out_h, out_w}, x.options());
    float* result = out.data_ptr<float>();
    for (std::int64_t p = 0; p < planes; ++p) {
        const float* image = x.data_ptr<float>() + p * height * width;
        for (std::int64_t r = 0; r < out_h; ++r) {
            for (std::int64_t c = 0; c < out_w; ++c) {
                float best = 0.0f;
                for (std::int64_t i = r * stride - pad; i < r * stride - pad + size; ++i) {
                    for (std::int64_t j = c * stride - pad; j < c * stride - pad + size; ++j) {
                        if (i >= 0 && i < height && j >= 0 && j < width && image[i * width + j] > best) {
                            best = image[i * width + j];
                        }
                    }
                }
                *result++ = best;
            }
        }
    }
    return out;
}
"""

ext = load_inline(
    name="max_pool2d_windows_cpu",
    cpp_sources=cpp_source,
    functions=["max_pool2d"],
    extra_cflags=["-O3"],
)

class ModelNew(nn.Module):
    def __init__(self, kernel_size: int, stride: int, padding: int):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.max_pool2d(x, self.kernel_size, self.stride, self.padding)
