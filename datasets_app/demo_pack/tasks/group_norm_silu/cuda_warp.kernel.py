import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

// One warp a (batch, group): no shared memory and no barrier.
__global__ void group_norm_silu_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                       const float* __restrict__ bias, float* __restrict__ out,
                                       int groups, int channels_per_group, int plane, float eps) {
    const int lane = threadIdx.x;
    const int group = blockIdx.x % groups;
    const int size = channels_per_group * plane;
    const float* run = x + static_cast<size_t>(blockIdx.x) * size;
    float* result = out + static_cast<size_t>(blockIdx.x) * size;
    float sum = 0.0f;
    for (int i = lane; i < size; i += 32) {
        sum += run[i];
    }
    for (int mask = 16; mask > 0; mask >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    }
    const float mean = sum / size;
    float squares = 0.0f;
    for (int i = lane; i < size; i += 32) {
        const float d = run[i] - mean;
        squares = fmaf(d, d, squares);
    }
    for (int mask = 16; mask > 0; mask >>= 1) {
        squares += __shfl_xor_sync(0xffffffffu, squares, mask);
    }
    const float inverse = rsqrtf(squares / size + eps);
    for (int i = lane; i < size; i += 32) {
        const int channel = group * channels_per_group + i / plane;
        const float v = (run[i] - mean) * inverse * weight[channel] + bias[channel];
        result[i] = v / (1.0f + expf(-v));
    }
}

torch::Tensor group_norm_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t groups,
                              double eps) {
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int channels_per_group = static_cast<int>(x.size(1) / groups);
    const int plane = static_cast<int>(x.size(2) * x.size(3));
    const int blocks = static_cast<int>(x.size(0) * groups);
    group_norm_silu_kernel<<<blocks, 32, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(),
        static_cast<int>(groups), channels_per_group, plane, static_cast<float>(eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

cpp_source = """
torch::Tensor group_norm_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t groups,
                              double eps);
"""

ext = load_inline(
    name="group_norm_silu_warp",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["group_norm_silu"],
)

class ModelNew(nn.Module):
    def __init__(self, groups: int, channels: int):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.uniform_(self.norm.bias, -0.5, 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.group_norm_silu(x, self.norm.weight, self.norm.bias, self.norm.num_groups, self.norm.eps)
