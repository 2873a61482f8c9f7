import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>
#include <cstdint>

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor gain, double eps) {
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const std::int64_t width = x.size(-1);
    const std::int64_t rows = x.numel() / width;
    const float* g = gain.data_ptr<float>();
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* row = x.data_ptr<float>() + r * width;
        float* result = out.data_ptr<float>() + r * width;
        float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
        std::int64_t c = 0;
        for (; c + 4 <= width; c += 4) {
            s0 += row[c + 0] * row[c + 0];
            s1 += row[c + 1] * row[c + 1];
            s2 += row[c + 2] * row[c + 2];
            s3 += row[c + 3] * row[c + 3];
        }
        for (; c < width; ++c) {
            s0 += row[c] * row[c];
        }
        const float rms = std::sqrt((s0 + s1 + s2 + s3) / static_cast<float>(width));
        const float scale = 1.0f / (rms + static_cast<float>(eps));
        for (std::int64_t i = 0; i < width; ++i) {
            result[i] = row[i] * scale * g[i];
        }
    }
    return out;
}
"""

ext = load_inline(
    name="rms_norm_unrolled_cpu",
    cpp_sources=cpp_source,
    functions=["rms_norm"],
    extra_cflags=["-O3"],
)

class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.rms_norm(x, self.gain, self.eps)
