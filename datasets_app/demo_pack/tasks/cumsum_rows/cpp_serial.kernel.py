import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cstdint>

constexpr int kRowsAtOnce = 4;

// Four rows side by side: a prefix sum is a chain of dependent additions, four chains hide each other's latency.
static void scan_four(const float* x, float* out, std::int64_t width) {
    double sum[kRowsAtOnce] = {0.0, 0.0, 0.0, 0.0};
    for (std::int64_t c = 0; c < width; ++c) {
        for (int r = 0; r < kRowsAtOnce; ++r) {
            sum[r] += x[r * width + c];
            out[r * width + c] = static_cast<float>(sum[r]);
        }
    }
}

static void scan_one(const float* x, float* out, std::int64_t width) {
    double sum = 0.0;
    for (std::int64_t c = 0; c < width; ++c) {
        sum += x[c];
        out[c] = static_cast<float>(sum);
    }
}

torch::Tensor cumsum_rows(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "expected a matrix");
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const std::int64_t rows = x.size(0);
    const std::int64_t width = x.size(1);
    const float* xp = x.data_ptr<float>();
    float* op = out.data_ptr<float>();
    std::int64_t r = 0;
    for (; r + kRowsAtOnce <= rows; r += kRowsAtOnce) {
        scan_four(xp + r * width, op + r * width, width);
    }
    for (; r < rows; ++r) {
        scan_one(xp + r * width, op + r * width, width);
    }
    return out;
}
"""

ext = load_inline(
    name="cumsum_rows_serial_cpu",
    cpp_sources=cpp_source,
    functions=["cumsum_rows"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert self.dim == 1
        return ext.cumsum_rows(x)
