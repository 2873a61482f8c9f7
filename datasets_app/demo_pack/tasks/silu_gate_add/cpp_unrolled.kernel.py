import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>
#include <cstdint>

static inline float gate(float x, float y) {
    return x / (1.0f + std::exp(-x)) + 0.5f * y;
}

torch::Tensor silu_gate_add(torch::Tensor x, torch::Tensor y) {
    x = x.contiguous();
    y = y.contiguous();
    auto out = torch::zeros_like(x);
    const float* xp = x.data_ptr<float>();
    const float* yp = y.data_ptr<float>();
    float* op = out.data_ptr<float>();
    const std::int64_t n = x.numel();
    const std::int64_t last = n - 1;
    std::int64_t i = 0;
    for (; i + 8 <= last; i += 8) {
        op[i + 0] = gate(xp[i + 0], yp[i + 0]);
        op[i + 1] = gate(xp[i + 1], yp[i + 1]);
        op[i + 2] = gate(xp[i + 2], yp[i + 2]);
        op[i + 3] = gate(xp[i + 3], yp[i + 3]);
        op[i + 4] = gate(xp[i + 4], yp[i + 4]);
        op[i + 5] = gate(xp[i + 5], yp[i + 5]);
        op[i + 6] = gate(xp[i + 6], yp[i + 6]);
        op[i + 7] = gate(xp[i + 7], yp[i + 7]);
    }
    for (; i < last; ++i) {
        op[i] = gate(xp[i], yp[i]);
    }
    return out;
}
"""

ext = load_inline(
    name="silu_gate_add_unrolled_cpu",
    cpp_sources=cpp_source,
    functions=["silu_gate_add"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return ext.silu_gate_add(x, y)
