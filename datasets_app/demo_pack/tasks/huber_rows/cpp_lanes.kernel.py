import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>
#include <cstdint>

constexpr int kLanes = 16;

static inline float huber(float prediction, float target, float delta) {
    const float error = std::fabs(prediction - target);
    const float part = error < delta ? error : delta;
    return part * (error - 0.5f * part);
}

torch::Tensor huber_rows(torch::Tensor prediction, torch::Tensor target, double delta_arg) {
    TORCH_CHECK(prediction.sizes() == target.sizes(), "prediction and target must have one shape");
    prediction = prediction.contiguous();
    target = target.contiguous();
    const std::int64_t rows = prediction.size(0), width = prediction.size(1);
    const float delta = static_cast<float>(delta_arg);
    auto out = torch::empty({rows}, prediction.options());
    float* result = out.data_ptr<float>();
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* p = prediction.data_ptr<float>() + r * width;
        const float* t = target.data_ptr<float>() + r * width;
        float lane[kLanes] = {0.0f};
        std::int64_t c = 0;
        for (; c + kLanes <= width; c += kLanes) {
            for (int j = 0; j < kLanes; ++j) {
                lane[j] += huber(p[c + j], t[c + j], delta);
            }
        }
        float sum = 0.0f;
        for (; c < width; ++c) {
            sum += huber(p[c], t[c], delta);
        }
        for (float s : lane) {
            sum += s;
        }
        result[r] = sum / static_cast<float>(width);
    }
    return out;
}
"""

ext = load_inline(
    name="huber_rows_lanes_cpu",
    cpp_sources=cpp_source,
    functions=["huber_rows"],
    extra_cflags=["-O3", "-fno-trapping-math"],
)

class ModelNew(nn.Module):
    def __init__(self, delta: float):
        super().__init__()
        self.delta = delta

    def forward(self, prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return ext.huber_rows(prediction, target, self.delta)
