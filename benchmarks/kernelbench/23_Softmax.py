"""Softmax over long rows: one block a row, maximum and sum in one pass, the results in a second one."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <cfloat>

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffffu;

// The largest value so far and the sum of exp(value - largest).
struct Running {
    float top, sum;
};

__device__ __forceinline__ void absorb(Running& state, float v) {
    if (v > state.top) {
        state.sum = state.sum * expf(state.top - v) + 1.0f;
        state.top = v;
    } else {
        state.sum += expf(v - state.top);
    }
}

__device__ __forceinline__ Running merge(Running a, Running b) {
    const float top = fmaxf(a.top, b.top);
    return {top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

__device__ __forceinline__ Running merge_warp(Running state) {
    for (int step = 16; step > 0; step /= 2) {
        const Running other = {__shfl_xor_sync(kAll, state.top, step), __shfl_xor_sync(kAll, state.sum, step)};
        state = merge(state, other);
    }
    return state;
}

__global__ void softmax_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t width,
                               int64_t quads) {
    __shared__ float tops[kWarps], sums[kWarps];
    in += blockIdx.x * width;
    out += blockIdx.x * width;
    const float4* in4 = reinterpret_cast<const float4*>(in);
    Running state = {-FLT_MAX, 0.0f};  // finite, so that a difference is never infinity minus infinity
    for (int64_t i = threadIdx.x; i < quads; i += kThreads) {
        const float4 v = in4[i];
        absorb(state, v.x);
        absorb(state, v.y);
        absorb(state, v.z);
        absorb(state, v.w);
    }
    for (int64_t i = quads * 4 + threadIdx.x; i < width; i += kThreads) {
        absorb(state, in[i]);
    }
    state = merge_warp(state);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) {
        tops[warp] = state.top;
        sums[warp] = state.sum;
    }
    __syncthreads();
    state = merge_warp({tops[lane], sums[lane]});  // there are as many warps as lanes
    const float top = state.top, scale = 1.0f / state.sum;

    float4* out4 = reinterpret_cast<float4*>(out);
    for (int64_t i = threadIdx.x; i < quads; i += kThreads) {
        const float4 v = in4[i];
        out4[i] = make_float4(expf(v.x - top) * scale, expf(v.y - top) * scale, expf(v.z - top) * scale,
                              expf(v.w - top) * scale);
    }
    for (int64_t i = quads * 4 + threadIdx.x; i < width; i += kThreads) {
        out[i] = expf(in[i] - top) * scale;
    }
}

torch::Tensor softmax_forward(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(x.dim() == 2, "x must have rows and columns");
    auto out = torch::empty_like(x);
    if (x.numel() == 0) {
        return out;
    }
    const int64_t rows = x.size(0), width = x.size(1);
    const float* in = x.data_ptr<float>();
    const bool aligned = reinterpret_cast<uintptr_t>(in) % 16 == 0 && width % 4 == 0;
    softmax_kernel<<<static_cast<unsigned>(rows), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        in, out.data_ptr<float>(), width, aligned ? width / 4 : 0);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_softmax",
    cpp_sources="torch::Tensor softmax_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["softmax_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.softmax_forward(x.contiguous())
