"""Library product; Swish, bias and group norm in one kernel, one warp for each group of a row."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kWarps = 8;
constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ float warp_sum(float v) {
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(kAll, v, step);
    }
    return v;
}

__device__ __forceinline__ float swish(float v) { return v / (1.0f + expf(-v)); }

__global__ void swish_group_norm_kernel(const float* __restrict__ in, const float* __restrict__ addend,
                                        const float* __restrict__ weight, const float* __restrict__ bias,
                                        float* __restrict__ out, int64_t all_groups, int groups,
                                        int group_size, float eps) {
    const int lane = threadIdx.x % 32;
    const int64_t number = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
    if (number >= all_groups) {
        return;  // the whole warp
    }
    const int channel0 = static_cast<int>(number % groups) * group_size;
    in += number * group_size;  // the groups of a row follow one another
    out += number * group_size;
    float sum = 0.0f;
    for (int c = lane; c < group_size; c += 32) {
        sum += swish(in[c]) + addend[channel0 + c];
    }
    const float mean = warp_sum(sum) / group_size;
    float squares = 0.0f;
    for (int c = lane; c < group_size; c += 32) {
        const float v = swish(in[c]) + addend[channel0 + c] - mean;
        squares = fmaf(v, v, squares);
    }
    const float scale = 1.0f / sqrtf(warp_sum(squares) / group_size + eps);
    for (int c = lane; c < group_size; c += 32) {
        const float v = swish(in[c]) + addend[channel0 + c] - mean;
        out[c] = fmaf(v * scale, weight[channel0 + c], bias[channel0 + c]);
    }
}

bool is_vector(const torch::Tensor& t, int64_t size) {
    return t.is_cuda() && t.is_contiguous() && t.scalar_type() == torch::kFloat32 && t.numel() == size;
}

torch::Tensor swish_group_norm_forward(torch::Tensor x, torch::Tensor addend, torch::Tensor weight,
                                       torch::Tensor bias, int64_t groups, double eps) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(x.dim() == 2 && groups > 0 && x.size(1) % groups == 0, "the groups do not divide the channels");
    const int64_t channels = x.size(1);
    TORCH_CHECK(channels < (1 << 30), "there are too many channels");
    TORCH_CHECK(is_vector(addend, channels) && is_vector(weight, channels) && is_vector(bias, channels),
                "each channel needs one value of all three parameters");
    auto out = torch::empty_like(x);
    if (x.numel() == 0) {
        return out;
    }
    const int64_t all_groups = x.size(0) * groups, blocks = (all_groups + kWarps - 1) / kWarps;
    TORCH_CHECK(blocks < (int64_t{1} << 31), "x is too large");
    swish_group_norm_kernel<<<static_cast<unsigned>(blocks), kWarps * 32, 0,
                              c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), addend.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
        out.data_ptr<float>(), all_groups, static_cast<int>(groups), static_cast<int>(channels / groups),
        static_cast<float>(eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

CPP = """
torch::Tensor swish_group_norm_forward(torch::Tensor x, torch::Tensor addend, torch::Tensor weight,
                                       torch::Tensor bias, int64_t groups, double eps);
"""

extension = load_inline(
    name="kernelbench_swish_group_norm",
    cpp_sources=CPP,
    cuda_sources=CUDA,
    functions=["swish_group_norm_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, num_groups, bias_shape):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.group_norm = nn.GroupNorm(num_groups, out_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        norm = self.group_norm
        return extension.swish_group_norm_forward(
            self.matmul(x).contiguous(),
            self.bias.contiguous(),
            norm.weight.contiguous(),
            norm.bias.contiguous(),
            norm.num_groups,
            norm.eps,
        )
