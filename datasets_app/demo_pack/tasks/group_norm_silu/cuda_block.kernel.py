import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

// The sum over the block, in every thread. `partial` may be used again after the next barrier.
__device__ float block_sum(float v, float* partial) {
    for (int mask = 16; mask > 0; mask >>= 1) {
        v += __shfl_xor_sync(0xffffffffu, v, mask);
    }
    __syncthreads();
    if ((threadIdx.x & 31) == 0) {
        partial[threadIdx.x >> 5] = v;
    }
    __syncthreads();
    float total = 0.0f;
    for (int w = 0; w < kWarps; ++w) {
        total += partial[w];
    }
    return total;
}

// One block a (batch, group). The group's channels are adjacent, so a group is one contiguous run of memory.
__global__ void group_norm_silu_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                       const float* __restrict__ bias, float* __restrict__ out,
                                       int groups, int channels_per_group, int plane, float eps) {
    __shared__ float partial[kWarps];
    const int group = blockIdx.x % groups;
    const int size = channels_per_group * plane;
    const float* run = x + static_cast<size_t>(blockIdx.x) * size;
    float* result = out + static_cast<size_t>(blockIdx.x) * size;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < size; i += kThreads) {
        sum += run[i];
    }
    const float mean = block_sum(sum, partial) / size;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < size; i += kThreads) {
        const float d = run[i] - mean;
        squares += d * d;
    }
    const float inverse = rsqrtf(block_sum(squares, partial) / size + eps);
    for (int i = threadIdx.x; i < size; i += kThreads) {
        const int channel = group * channels_per_group + i / plane;
        const float v = (run[i] - mean) * inverse * weight[channel] + bias[channel];
        result[i] = v / (1.0f + expf(-v));
    }
}

torch::Tensor group_norm_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t groups,
                              double eps) {
    TORCH_CHECK(x.dim() == 4 && x.size(1) % groups == 0, "expected NCHW with channels divisible by groups");
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int channels_per_group = static_cast<int>(x.size(1) / groups);
    const int plane = static_cast<int>(x.size(2) * x.size(3));
    const int blocks = static_cast<int>(x.size(0) * groups);
    group_norm_silu_kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
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
    name="group_norm_silu_block",
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
