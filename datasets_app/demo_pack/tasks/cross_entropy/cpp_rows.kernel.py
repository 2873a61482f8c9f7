import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <algorithm>
#include <cmath>
#include <cstdint>

torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor labels) {
    TORCH_CHECK(logits.dim() == 2 && labels.size(0) == logits.size(0), "one label for each row expected");
    logits = logits.contiguous();
    labels = labels.contiguous();
    const std::int64_t rows = logits.size(0), classes = logits.size(1);
    const std::int64_t* label = labels.data_ptr<std::int64_t>();
    double total = 0.0;
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* row = logits.data_ptr<float>() + r * classes;
        TORCH_CHECK(label[r] >= 0 && label[r] < classes, "label ", label[r], " is out of range");
        const float top = *std::max_element(row, row + classes);
        float sum = 0.0f;
        for (std::int64_t c = 0; c < classes; ++c) {
            sum += std::exp(row[c] - top);
        }
        total += std::log(sum) + top - row[label[r]];
    }
    return torch::full({}, total / static_cast<double>(rows), logits.options());
}
"""

ext = load_inline(
    name="cross_entropy_rows_cpu",
    cpp_sources=cpp_source,
    functions=["cross_entropy"],
    extra_cflags=["-O3"],
)

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return ext.cross_entropy(logits, labels)
