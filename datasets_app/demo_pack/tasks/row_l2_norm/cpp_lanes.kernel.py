import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>
#include <cstdint>

constexpr int kLanes = 16;

// Sixteen independent sums, so that the additions need not wait for one another and can share a vector register.
static float sum_of_squares(const float* __restrict__ v, std::int64_t n) {
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
    for (int j = 0; j < kLanes; ++j) {
        total += lane[j];
    }
    return total;
}

torch::Tensor row_norm(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "expected a matrix");
    x = x.contiguous();
    const std::int64_t rows = x.size(0);
    const std::int64_t width = x.size(1);
    auto out = torch::empty({rows}, x.options());
    const float* xp = x.data_ptr<float>();
    float* op = out.data_ptr<float>();
    for (std::int64_t r = 0; r < rows; ++r) {
        op[r] = std::sqrt(sum_of_squares(xp + r * width, width));
    }
    return out;
}
"""

ext = load_inline(
    name="row_l2_norm_lanes_cpu",
    cpp_sources=cpp_source,
    functions=["row_norm"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.row_norm(x)
