"""Layer norm over a few rows of millions: sums of parts of each row first, then all parts are normalised."""

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
constexpr int kParts = 256;          // at most, of one row
constexpr int64_t kLeastPart = 4096;
constexpr unsigned kAll = 0xffffffffu;

// Doubles, because a row is long and the variance is a difference of two large sums.
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
    __syncthreads();
    return sum;
}

__global__ void part_sums_kernel(const float* __restrict__ in, double* __restrict__ sums, int64_t width,
                                 int64_t part_size) {
    __shared__ double shared[kWarps];
    in += blockIdx.y * width;
    const int64_t start = blockIdx.x * part_size;
    const int64_t end = start + part_size < width ? start + part_size : width;
    double sum = 0.0, squares = 0.0;
    for (int64_t i = start + threadIdx.x; i < end; i += kThreads) {
        const double v = in[i];
        sum += v;
        squares += v * v;
    }
    sum = block_sum(sum, shared);
    squares = block_sum(squares, shared);
    if (threadIdx.x == 0) {
        const int64_t part = static_cast<int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
        sums[part * 2] = sum;
        sums[part * 2 + 1] = squares;
    }
}

__global__ void normalise_kernel(const float* __restrict__ in, const double* __restrict__ sums,
                                 const float* __restrict__ weight, const float* __restrict__ bias,
                                 float* __restrict__ out, int64_t width, int64_t part_size, double eps) {
    __shared__ double shared[kWarps];
    sums += static_cast<int64_t>(blockIdx.y) * gridDim.x * 2;
    const bool has_part = threadIdx.x < gridDim.x;  // there are at most as many parts as threads
    const double mean = block_sum(has_part ? sums[threadIdx.x * 2] : 0.0, shared) / width;
    const double squares = block_sum(has_part ? sums[threadIdx.x * 2 + 1] : 0.0, shared) / width;
    const double variance = fmax(squares - mean * mean, 0.0);
    const float shift = static_cast<float>(mean), scale = static_cast<float>(1.0 / sqrt(variance + eps));
    in += blockIdx.y * width;
    out += blockIdx.y * width;
    const int64_t start = blockIdx.x * part_size;
    const int64_t end = start + part_size < width ? start + part_size : width;
    for (int64_t i = start + threadIdx.x; i < end; i += kThreads) {
        out[i] = fmaf((in[i] - shift) * scale, weight[i], bias[i]);
    }
}

torch::Tensor layer_norm_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(weight.is_cuda() && weight.is_contiguous() && weight.scalar_type() == torch::kFloat32, "weight");
    TORCH_CHECK(bias.is_cuda() && bias.is_contiguous() && bias.scalar_type() == torch::kFloat32, "bias");
    const int64_t width = weight.numel();
    TORCH_CHECK(width > 0 && bias.numel() == width && x.numel() % width == 0, "shapes do not match");
    const int64_t rows = x.numel() / width;
    TORCH_CHECK(rows <= 65535, "there are too many rows");
    auto out = torch::empty_like(x);
    if (rows == 0) {
        return out;
    }
    static_assert(kParts <= kThreads, "each part needs a thread that adds its sums");
    const int64_t part_size = std::max((width + kParts - 1) / kParts, kLeastPart);
    const int64_t parts = (width + part_size - 1) / part_size;
    auto sums = torch::empty({rows, parts, 2}, x.options().dtype(torch::kFloat64));
    const dim3 blocks(static_cast<unsigned>(parts), static_cast<unsigned>(rows));
    part_sums_kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), sums.data_ptr<double>(), width, part_size);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    normalise_kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), sums.data_ptr<double>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
        out.data_ptr<float>(), width, part_size, eps);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

CPP = """
torch::Tensor layer_norm_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps);
"""

extension = load_inline(
    name="kernelbench_layer_norm",
    cpp_sources=CPP,
    cuda_sources=CUDA,
    functions=["layer_norm_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, normalized_shape: tuple):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.ln.weight.contiguous(), self.ln.bias.contiguous()
        return extension.layer_norm_forward(x.contiguous(), weight, bias, self.ln.eps)
