import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

torch::Tensor bias_tanh_rowmax(torch::Tensor x, torch::Tensor bias, torch::Tensor gain) {
    x = x.contiguous();
    bias = bias.contiguous();
    gain = gain.contiguous();
    const std::int64_t rows = x.size(0), channels = x.size(1);
    auto out = torch::empty({rows}, x.options());
    const float* b = bias.data_ptr<float>();
    const float* g = gain.data_ptr<float>();
    float* result = out.data_ptr<float>();
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* row = x.data_ptr<float>() + r * channels;
        float best = -std::numeric_limits<float>::infinity();
        for (std::int64_t c = 0; c < channels; ++c) {
            // |tanh| <= 1: a channel whose gain cannot reach the best so far needs no tanh.
            if (std::fabs(g[c]) > best) {
                best = std::max(best, std::tanh(row[c] + b[c]) * g[c]);
            }
        }
        result[r] = best;
    }
    return out;
}
"""

ext = load_inline(
    name="bias_tanh_rowmax_bound_cpu",
    cpp_sources=cpp_source,
    functions=["bias_tanh_rowmax"],
    extra_cflags=["-O3"],
)

class ModelNew(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(channels) * 0.1)
        self.gain = nn.Parameter(torch.randn(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.bias_tanh_rowmax(x, self.bias, self.gain)
