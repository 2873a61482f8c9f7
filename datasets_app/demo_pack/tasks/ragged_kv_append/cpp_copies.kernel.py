import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cstdint>
#include <cstring>

torch::Tensor kv_append(torch::Tensor cache, torch::Tensor lengths, torch::Tensor rows, torch::Tensor offsets) {
    auto grown = cache.contiguous().clone();
    lengths = lengths.contiguous();
    rows = rows.contiguous();
    offsets = offsets.contiguous();
    const std::int64_t sequences = cache.size(0), capacity = cache.size(1), width = cache.size(2);
    TORCH_CHECK(offsets.numel() == sequences + 1 && rows.size(1) == width, "the sizes do not fit");
    const std::int64_t* at = offsets.data_ptr<std::int64_t>();
    const std::int64_t* held = lengths.data_ptr<std::int64_t>();
    for (std::int64_t s = 0; s < sequences; ++s) {
        const std::int64_t count = at[s + 1] - at[s];
        TORCH_CHECK(count >= 0 && at[s + 1] <= rows.size(0), "offsets are not in order");
        TORCH_CHECK(held[s] >= 0 && held[s] + count <= capacity, "the cache of a sequence is full");
        float* end = grown.data_ptr<float>() + (s * capacity + held[s]) * width;
        std::memcpy(end, rows.data_ptr<float>() + at[s] * width, sizeof(float) * count * width);
    }
    return grown;
}
"""

ext = load_inline(
    name="ragged_kv_append_copies",
    cpp_sources=cpp_source,
    functions=["kv_append"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(
        self, cache: torch.Tensor, lengths: torch.Tensor, rows: torch.Tensor, offsets: torch.Tensor
    ) -> torch.Tensor:
        return ext.kv_append(cache, lengths, rows, offsets)
