import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cstdint>
#include <vector>

// Row by row of A: out[row] += a[row][i] * b[i]. The inner loop runs along a row of B and of the output,
// both contiguous, so that it vectorises without reordering any sum.
torch::Tensor mean_matmul(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0), "shapes do not match");
    a = a.contiguous();
    b = b.contiguous();
    const std::int64_t m = a.size(0), k = a.size(1), n = b.size(1);
    auto c = torch::empty({m, n}, a.options());
    const float* ap = a.data_ptr<float>();
    const float* bp = b.data_ptr<float>();
    float* cp = c.data_ptr<float>();
    std::vector<float> row_sum(n);
    float* __restrict__ sum = row_sum.data();
    const float scale = 1.0f / static_cast<float>(k);
    for (std::int64_t r = 0; r < m; ++r) {
        for (std::int64_t j = 0; j < n; ++j) {
            sum[j] = 0.0f;
        }
        for (std::int64_t i = 0; i < k; ++i) {
            const float v = ap[r * k + i];
            const float* b_row = bp + i * n;
            for (std::int64_t j = 0; j < n; ++j) {
                sum[j] += v * b_row[j];
            }
        }
        for (std::int64_t j = 0; j < n; ++j) {
            cp[r * n + j] = sum[j] * scale;
        }
    }
    return c;
}
"""

ext = load_inline(
    name="matmul_small_blocked_cpu",
    cpp_sources=cpp_source,
    functions=["mean_matmul"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ext.mean_matmul(a, b)
