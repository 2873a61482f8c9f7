import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>
#include <cstdint>

torch::Tensor silu_gate_backward(torch::Tensor gate, torch::Tensor up, torch::Tensor upstream) {
    TORCH_CHECK(gate.sizes() == up.sizes() && up.sizes() == upstream.sizes(), "the three sizes differ");
    gate = gate.contiguous();
    up = up.contiguous();
    upstream = upstream.contiguous();
    const std::int64_t rows = gate.size(0), width = gate.size(1), n = gate.numel();
    auto out = torch::empty({2, rows, width}, gate.options());
    const float* a = gate.data_ptr<float>();
    const float* b = up.data_ptr<float>();
    const float* g = upstream.data_ptr<float>();
    float* of_gate = out.data_ptr<float>();
    float* of_up = of_gate + n;
    for (std::int64_t i = 0; i < n; ++i) {
        const float sigmoid = 1.0f / (1.0f + std::exp(-a[i]));
        const float silu = a[i] * sigmoid;
        of_gate[i] = g[i] * b[i] * (sigmoid + silu * (1.0f - sigmoid));
        of_up[i] = g[i] * silu;
    }
    return out;
}
"""

ext = load_inline(
    name="silu_gate_backward_one_pass",
    cpp_sources=cpp_source,
    functions=["silu_gate_backward"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gate: torch.Tensor, up: torch.Tensor, upstream: torch.Tensor) -> torch.Tensor:
        return ext.silu_gate_backward(gate, up, upstream)
