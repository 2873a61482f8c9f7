import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <algorithm>
#include <cstdint>

constexpr std::int64_t kColumns = 32;

// The width is a constant for full strips, so that the sums stay in registers.
template <bool kFull>
static void shifted_strip(const float* data, float* variance, std::int64_t rows, std::int64_t width, std::int64_t n) {
    const std::int64_t columns = kFull ? kColumns : n;
    float first[kColumns], sum[kColumns] = {0.0f}, squares[kColumns] = {0.0f};
    std::copy(data, data + columns, first);
    for (std::int64_t r = 1; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
            const float shifted = data[r * width + c] - first[c];
            sum[c] += shifted;
            squares[c] += shifted * shifted;
        }
    }
    for (std::int64_t c = 0; c < columns; ++c) {
        const float spread = squares[c] - sum[c] * sum[c] / static_cast<float>(rows);
        variance[c] = std::max(0.0f, spread) / static_cast<float>(rows - 1);
    }
}

torch::Tensor column_variance(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(0) > 1, "expected a matrix of at least two rows");
    x = x.contiguous();
    const std::int64_t rows = x.size(0), width = x.size(1);
    auto out = torch::empty({width}, x.options());
    for (std::int64_t c = 0; c < width; c += kColumns) {
        const float* data = x.data_ptr<float>() + c;
        float* variance = out.data_ptr<float>() + c;
        if (width - c >= kColumns) {
            shifted_strip<true>(data, variance, rows, width, kColumns);
        } else {
            shifted_strip<false>(data, variance, rows, width, width - c);
        }
    }
    return out;
}
"""

ext = load_inline(
    name="column_variance_shifted",
    cpp_sources=cpp_source,
    functions=["column_variance"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.column_variance(x)
