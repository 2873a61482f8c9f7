import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <algorithm>
#include <cstdint>

// Adds one filter row to one output row: the inside vectorises, the two border columns are done by hand.
static void add_filter_row(float* __restrict__ out, const float* __restrict__ in, const float* w,
                           std::int64_t width) {
    const float w0 = w[0], w1 = w[1], w2 = w[2];
    if (width == 1) {
        out[0] += w1 * in[0];
        return;
    }
    out[0] += w1 * in[0] + w2 * in[1];
    for (std::int64_t c = 1; c + 1 < width; ++c) {
        out[c] += w0 * in[c - 1] + w1 * in[c] + w2 * in[c + 1];
    }
    out[width - 1] += w0 * in[width - 2] + w1 * in[width - 1];
}

torch::Tensor depthwise3x3(torch::Tensor x, torch::Tensor weight) {
    TORCH_CHECK(x.dim() == 4 && weight.size(2) == 3 && weight.size(3) == 3, "expected NCHW and 3 x 3 filters");
    x = x.contiguous();
    weight = weight.contiguous();
    auto out = torch::zeros_like(x);
    const std::int64_t channels = x.size(1), height = x.size(2), width = x.size(3);
    const float* wp = weight.data_ptr<float>();
    for (std::int64_t plane = 0; plane < x.size(0) * channels; ++plane) {
        const float* image = x.data_ptr<float>() + plane * height * width;
        float* result = out.data_ptr<float>() + plane * height * width;
        const float* w = wp + (plane % channels) * 9;
        for (std::int64_t r = 0; r < height; ++r) {
            for (std::int64_t dr = 0; dr < 3; ++dr) {
                const std::int64_t from = r + dr - 1;
                if (from >= 0 && from < height) {
                    add_filter_row(result + r * width, image + from * width, w + dr * 3, width);
                }
            }
        }
    }
    return out;
}
"""

ext = load_inline(
    name="depthwise_conv2d_rows_cpu",
    cpp_sources=cpp_source,
    functions=["depthwise3x3"],
    extra_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size=3, padding=1, groups=channels, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.depthwise3x3(x, self.conv.weight)
