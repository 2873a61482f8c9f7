import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <algorithm>
#include <cstdint>

torch::Tensor avg_pool1d(torch::Tensor x, int64_t size, int64_t stride, int64_t pad) {
    x = x.contiguous();
    const std::int64_t rows = x.size(0) * x.size(1), length = x.size(2);
    const std::int64_t out_length = (length + 2 * pad - size) / stride + 1;
    auto out = torch::empty({x.size(0), x.size(1), out_length}, x.options());
    const float scale = 1.0f / static_cast<float>(size);
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* row = x.data_ptr<float>() + r * length;
        float* result = out.data_ptr<float>() + r * out_length;
        for (std::int64_t i = 0; i < out_length; ++i) {
            const std::int64_t first = std::max<std::int64_t>(i * stride - pad, 0);
            const std::int64_t last = std::min<std::int64_t>(i * stride - pad + size, length);
            float sum = 0.0f;
            for (std::int64_t j = first; j < last; ++j) {
                sum += row[j];
            }
            result[i] = sum * scale;
        }
    }
    return out;
}
"""

ext = load_inline(
    name="avg_pool1d_clipped_cpu",
    cpp_sources=cpp_source,
    functions=["avg_pool1d"],
    extra_cflags=["-O3"],
)

class ModelNew(nn.Module):
    def __init__(self, kernel_size: int, stride: int, padding: int):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.avg_pool1d(x, self.kernel_size, self.stride, self.padding)
