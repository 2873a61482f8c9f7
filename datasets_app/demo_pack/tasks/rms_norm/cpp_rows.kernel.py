import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>
#include <cstdint>

static float sum_of_squares(const float* __restrict__ v, std::int64_t n) {
    constexpr int kLanes = 16;
    float lane[kLanes] = {0.0f};
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (int j = 0; j < kLanes; ++j) {
            lane[j] += v[i + j] * v[i + j];
        }
    }
    float total = 0.0f;
    for (; i < n; ++i) {
        total += v[i] * v[i];
    }
    for (float s : lane) {
        total += s;
    }
    return total;
}

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor gain, double eps) {
    x = x.contiguous();
    gain = gain.contiguous();
    auto out = torch::empty_like(x);
    const std::int64_t width = x.size(-1);
    const std::int64_t rows = x.numel() / width;
    const float* __restrict__ g = gain.data_ptr<float>();
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict__ row = x.data_ptr<float>() + r * width;
        float* __restrict__ result = out.data_ptr<float>() + r * width;
        const float mean_square = sum_of_squares(row, width) / static_cast<float>(width);
        const float scale = 1.0f / std::sqrt(mean_square + static_cast<float>(eps));
        for (std::int64_t c = 0; c < width; ++c) {
            result[c] = row[c] * scale * g[c];
        }
    }
    return out;
}
"""

ext = load_inline(
    name="rms_norm_rows_cpu",
    cpp_sources=cpp_source,
    functions=["rms_norm"],
    extra_cflags=["-O3"],
)

class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.rms_norm(x, self.gain, self.eps)
