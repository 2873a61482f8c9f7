import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cstdint>

constexpr int kLanes = 8;

// The largest value first, with eight independent maxima so that it vectorises; then its first position.
static std::int64_t first_largest(const float* __restrict__ v, std::int64_t n) {
    float best[kLanes];
    for (int j = 0; j < kLanes; ++j) {
        best[j] = v[0];
    }
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (int j = 0; j < kLanes; ++j) {
            best[j] = best[j] < v[i + j] ? v[i + j] : best[j];
        }
    }
    float top = best[0];
    for (int j = 1; j < kLanes; ++j) {
        top = top < best[j] ? best[j] : top;
    }
    for (; i < n; ++i) {
        top = top < v[i] ? v[i] : top;
    }
    for (i = 0; i < n; ++i) {
        if (v[i] == top) {
            return i;
        }
    }
    return 0;
}

torch::Tensor argmax_rows(torch::Tensor scores) {
    TORCH_CHECK(scores.dim() == 2 && scores.size(1) > 0, "expected a matrix with columns");
    scores = scores.contiguous();
    const std::int64_t rows = scores.size(0), columns = scores.size(1);
    auto out = torch::empty({rows}, scores.options().dtype(torch::kLong));
    std::int64_t* op = out.data_ptr<std::int64_t>();
    for (std::int64_t r = 0; r < rows; ++r) {
        op[r] = first_largest(scores.data_ptr<float>() + r * columns, columns);
    }
    return out;
}
"""

ext = load_inline(
    name="argmax_rows_two_steps_cpu",
    cpp_sources=cpp_source,
    functions=["argmax_rows"],
    extra_cflags=["-O3", "-fno-trapping-math"],
)

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        return ext.argmax_rows(scores)
