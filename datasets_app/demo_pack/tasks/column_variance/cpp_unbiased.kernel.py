import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cstdint>
#include <vector>

torch::Tensor column_variance(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(0) > 1, "expected a matrix of at least two rows");
    x = x.contiguous();
    const std::int64_t rows = x.size(0), width = x.size(1);
    auto out = torch::empty({width}, x.options());
    const float* data = x.data_ptr<float>();
    float* variance = out.data_ptr<float>();
    for (std::int64_t c = 0; c < width; ++c) {
        float sum = 0.0f;
        for (std::int64_t r = 0; r < rows; ++r) {
            sum += data[r * width + c];
        }
        const float mean = sum / static_cast<float>(rows);
        float squares = 0.0f;
        for (std::int64_t r = 0; r < rows; ++r) {
            const float centred = data[r * width + c] - mean;
            squares += centred * centred;
        }
        variance[c] = squares / static_cast<float>(rows - 1);
    }
    return out;
}
"""

ext = load_inline(
    name="column_variance_unbiased",
    cpp_sources=cpp_source,
    functions=["column_variance"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.column_variance(x)
