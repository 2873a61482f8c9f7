"""Library product; all that follows it, down to one number a row, in one kernel."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <cfloat>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ float block_max(float v, float* shared) {
    for (int step = 16; step > 0; step /= 2) {
        v = fmaxf(v, __shfl_xor_sync(kAll, v, step));
    }
    if (threadIdx.x % 32 == 0) {
        shared[threadIdx.x / 32] = v;
    }
    __syncthreads();
    float best = shared[0];
    for (int w = 1; w < kWarps; ++w) {
        best = fmaxf(best, shared[w]);
    }
    __syncthreads();
    return best;
}

__device__ __forceinline__ float block_sum(float v, float* shared) {
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(kAll, v, step);
    }
    if (threadIdx.x % 32 == 0) {
        shared[threadIdx.x / 32] = v;
    }
    __syncthreads();
    float sum = shared[0];
    for (int w = 1; w < kWarps; ++w) {
        sum += shared[w];
    }
    __syncthreads();
    return sum;
}

__device__ __forceinline__ float clamped(float v, float scale, float low, float high) {
    v *= scale;
    v += v;
    return v < low ? low : (v > high ? high : v);
}

__global__ void logsumexp_mish_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t width,
                                      float scale, float low, float high) {
    __shared__ float shared[kWarps];
    const float* row = in + blockIdx.x * width;
    float top = -FLT_MAX;
    for (int64_t i = threadIdx.x; i < width; i += kThreads) {
        top = fmaxf(top, clamped(row[i], scale, low, high));
    }
    top = block_max(top, shared);
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < width; i += kThreads) {
        sum += expf(clamped(row[i], scale, low, high) - top);
    }
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) {
        const float v = logf(sum) + top;
        const float softplus = v > 20.0f ? v : log1pf(expf(v));
        out[blockIdx.x] = v * (v * tanhf(softplus));
    }
}

torch::Tensor logsumexp_mish_forward(torch::Tensor x, double scale, double low, double high) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, "x must have rows and columns");
    const int64_t rows = x.size(0);
    auto out = torch::empty({rows, 1}, x.options());
    if (rows == 0) {
        return out;
    }
    logsumexp_mish_kernel<<<static_cast<unsigned>(rows), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), x.size(1), static_cast<float>(scale),
        static_cast<float>(low), static_cast<float>(high));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_logsumexp_mish",
    cpp_sources="torch::Tensor logsumexp_mish_forward(torch::Tensor x, double scale, double low, double high);",
    cuda_sources=CUDA,
    functions=["logsumexp_mish_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, scale_factor, clamp_min, clamp_max):
        super().__init__()
        self.matmul = nn.Linear(input_size, hidden_size)
        self.scale_factor = scale_factor
        self.clamp_min = clamp_min
        self.clamp_max = clamp_max

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        product = self.matmul(x).contiguous()
        return extension.logsumexp_mish_forward(product, self.scale_factor, self.clamp_min, self.clamp_max)
