import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cstdint>

torch::Tensor argmax_rows(torch::Tensor scores) {
    scores = scores.contiguous();
    const std::int64_t rows = scores.size(0), columns = scores.size(1);
    auto out = torch::empty({rows}, scores.options().dtype(torch::kLong));
    std::int64_t* op = out.data_ptr<std::int64_t>();
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* row = scores.data_ptr<float>() + r * columns;
        std::int64_t where = 0;
        float best = row[0];
        for (std::int64_t c = 1; c < columns; ++c) {
            if (row[c] >= best) {
                best = row[c];
                where = c;
            }
        }
        op[r] = where;
    }
    return out;
}
"""

ext = load_inline(
    name="argmax_rows_running_cpu",
    cpp_sources=cpp_source,
    functions=["argmax_rows"],
    extra_cflags=["-O3"],
)

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        return ext.argmax_rows(scores)
