import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>
#include <cstdint>
#include <vector>

static inline float gelu(float v) {
    const float inner = 0.79788456f * (v + 0.044715f * v * v * v);
    return 0.5f * v * (1.0f + std::tanh(inner));
}

torch::Tensor linear_gelu_residual(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    x = x.contiguous();
    weight = weight.contiguous();
    bias = bias.contiguous();
    const std::int64_t rows = x.size(0), width = x.size(1);
    auto out = torch::empty_like(x);

    // The weights transposed, so that the inner loop runs over contiguous outputs.
    std::vector<float> transposed(width * width);
    const float* wp = weight.data_ptr<float>();
    for (std::int64_t o = 0; o < width; ++o) {
        for (std::int64_t i = 0; i < width; ++i) {
            transposed[i * width + o] = wp[o * width + i];
        }
    }

    std::vector<float> sum(width);
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* row = x.data_ptr<float>() + r * width;
        float* result = out.data_ptr<float>() + r * width;
        float* __restrict__ s = sum.data();
        const float* bp = bias.data_ptr<float>();
        for (std::int64_t o = 0; o < width; ++o) {
            s[o] = bp[o];
        }
        for (std::int64_t i = 0; i < width; ++i) {
            const float v = row[i];
            const float* w = transposed.data() + i * width;
            for (std::int64_t o = 0; o < width; ++o) {
                s[o] += v * w[o];
            }
        }
        for (std::int64_t o = 0; o < width; ++o) {
            result[o] = row[o] + gelu(s[o]);
        }
    }
    return out;
}
"""

ext = load_inline(
    name="linear_gelu_residual_transposed_cpu",
    cpp_sources=cpp_source,
    functions=["linear_gelu_residual"],
    extra_cflags=["-O3"],
)

class ModelNew(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.linear = nn.Linear(width, width)
        nn.init.normal_(self.linear.weight, std=0.25)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.linear_gelu_residual(x, self.linear.weight, self.linear.bias)
