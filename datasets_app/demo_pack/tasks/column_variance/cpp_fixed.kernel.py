import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cstdint>

constexpr std::int64_t kStrip = 32;

// kWidth is the width of a full strip, which lets its sums stay in registers, or 0 for the last, narrower one.
template <std::int64_t kWidth>
static void strip_variance(const float* data, float* variance, std::int64_t rows, std::int64_t width, std::int64_t n) {
    const std::int64_t columns = kWidth > 0 ? kWidth : n;
    float mean[kStrip] = {0.0f}, squares[kStrip] = {0.0f};
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
            mean[c] += data[r * width + c];
        }
    }
    for (std::int64_t c = 0; c < columns; ++c) {
        mean[c] /= static_cast<float>(rows);
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
            const float centred = data[r * width + c] - mean[c];
            squares[c] += centred * centred;
        }
    }
    for (std::int64_t c = 0; c < columns; ++c) {
        variance[c] = squares[c] / static_cast<float>(rows - 1);
    }
}

torch::Tensor column_variance(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(0) > 1, "expected a matrix of at least two rows");
    x = x.contiguous();
    const std::int64_t rows = x.size(0), width = x.size(1);
    auto out = torch::empty({width}, x.options());
    for (std::int64_t c = 0; c < width; c += kStrip) {
        const float* data = x.data_ptr<float>() + c;
        float* variance = out.data_ptr<float>() + c;
        if (width - c >= kStrip) {
            strip_variance<kStrip>(data, variance, rows, width, kStrip);
        } else {
            strip_variance<0>(data, variance, rows, width, width - c);
        }
    }
    return out;
}
"""

ext = load_inline(
    name="column_variance_fixed",
    cpp_sources=cpp_source,
    functions=["column_variance"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.column_variance(x)
