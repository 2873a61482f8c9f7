"""Mean squared error over a billion pairs: a sum per block in doubles, then the mean in one block."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <algorithm>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int64_t kMaxBlocks = 2048;
constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ double block_sum(double v, double* shared) {
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(kAll, v, step);
    }
    if (threadIdx.x % 32 == 0) {
        shared[threadIdx.x / 32] = v;
    }
    __syncthreads();
    double sum = 0.0;
    for (int w = 0; w < kWarps; ++w) {
        sum += shared[w];
    }
    return sum;
}

__device__ __forceinline__ float square(float v) { return v * v; }

__global__ void squares_kernel(const float* __restrict__ a, const float* __restrict__ b,
                               double* __restrict__ sums, int64_t count, int64_t quads) {
    __shared__ double shared[kWarps];
    const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
    const float4* a4 = reinterpret_cast<const float4*>(a);
    const float4* b4 = reinterpret_cast<const float4*>(b);
    double sum = 0.0;
    for (int64_t i = first; i < quads; i += stride) {
        const float4 u = a4[i], v = b4[i];
        sum += (square(u.x - v.x) + square(u.y - v.y)) + (square(u.z - v.z) + square(u.w - v.w));
    }
    for (int64_t i = quads * 4 + first; i < count; i += stride) {
        sum += square(a[i] - b[i]);
    }
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

__global__ void mean_kernel(const double* __restrict__ sums, float* __restrict__ mean, int blocks,
                            int64_t count) {
    __shared__ double shared[kWarps];
    double sum = 0.0;
    for (int i = threadIdx.x; i < blocks; i += kThreads) {
        sum += sums[i];
    }
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) {
        *mean = static_cast<float>(sum / static_cast<double>(count));
    }
}

torch::Tensor mse_forward(torch::Tensor predictions, torch::Tensor targets) {
    TORCH_CHECK(predictions.is_cuda() && targets.is_cuda() && predictions.is_contiguous() &&
                    targets.is_contiguous(),
                "both tensors must be contiguous and on the GPU");
    TORCH_CHECK(predictions.scalar_type() == torch::kFloat32 && targets.scalar_type() == torch::kFloat32,
                "float32 is needed");
    TORCH_CHECK(predictions.sizes() == targets.sizes() && predictions.numel() > 0, "shapes do not match");
    const int64_t count = predictions.numel();
    const float* a = predictions.data_ptr<float>();
    const float* b = targets.data_ptr<float>();
    const bool aligned =
        reinterpret_cast<uintptr_t>(a) % 16 == 0 && reinterpret_cast<uintptr_t>(b) % 16 == 0;
    const int64_t blocks = std::min((count / 4 + kThreads) / kThreads, kMaxBlocks);
    auto sums = torch::empty({blocks}, predictions.options().dtype(torch::kFloat64));
    auto mean = torch::empty({}, predictions.options());
    squares_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a, b, sums.data_ptr<double>(), count, aligned ? count / 4 : 0);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    mean_kernel<<<1, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        sums.data_ptr<double>(), mean.data_ptr<float>(), static_cast<int>(blocks), count);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return mean;
}
"""

extension = load_inline(
    name="kernelbench_mse",
    cpp_sources="torch::Tensor mse_forward(torch::Tensor predictions, torch::Tensor targets);",
    cuda_sources=CUDA,
    functions=["mse_forward"],
)


class ModelNew(nn.Module):
    def forward(self, predictions: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return extension.mse_forward(predictions.contiguous(), targets.contiguous())
