import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>
#include <cstdint>

constexpr int kThreads = 96;
constexpr int kWarps = kThreads / 32;

__device__ __forceinline__ float block_sum(float v, float* partial) {
    #pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        v += __shfl_xor_sync(0xffffffffu, v, mask);
    }
    if ((threadIdx.x & 31) == 0) {
        partial[threadIdx.x >> 5] = v;
    }
    __syncthreads();
    float total = 0.0f;
    #pragma unroll
    for (int w = 0; w < kWarps; ++w) {
        total += partial[w];
    }
    return total;
}

// One block a row; float4 loads when the row allows it.
template <bool kVector>
__global__ void rms_norm_kernel(const float* __restrict__ x, const float* __restrict__ gain,
                                float* __restrict__ out, int width, float eps) {
    __shared__ float partial[kWarps];
    const float* row = x + static_cast<size_t>(blockIdx.x) * width;
    float* result = out + static_cast<size_t>(blockIdx.x) * width;
    float squares = 0.0f;
    if (kVector) {
        const float4* row4 = reinterpret_cast<const float4*>(row);
        for (int i = threadIdx.x; i < width / 4; i += kThreads) {
            const float4 v = row4[i];
            squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
    } else {
        for (int i = threadIdx.x; i < width; i += kThreads) {
            squares += row[i] * row[i];
        }
    }
    const float scale = rsqrtf(block_sum(squares, partial) / width + eps);
    if (kVector) {
        const float4* row4 = reinterpret_cast<const float4*>(row);
        const float4* gain4 = reinterpret_cast<const float4*>(gain);
        float4* result4 = reinterpret_cast<float4*>(result);
        for (int i = threadIdx.x; i < width / 4; i += kThreads) {
            const float4 v = row4[i];
            const float4 g = gain4[i];
            result4[i] = make_float4(v.x * scale * g.x, v.y * scale * g.y, v.z * scale * g.z, v.w * scale * g.w);
        }
    } else {
        for (int i = threadIdx.x; i < width; i += kThreads) {
            result[i] = row[i] * scale * gain[i];
        }
    }
}

static bool is_aligned16(const void* p) {
    return (reinterpret_cast<std::uintptr_t>(p) & 15) == 0;
}

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor gain, double eps) {
    x = x.contiguous();
    gain = gain.contiguous();
    auto out = torch::empty_like(x);
    const int width = static_cast<int>(x.size(-1));
    const int rows = static_cast<int>(x.numel() / width);
    const float* xp = x.data_ptr<float>();
    const float* gp = gain.data_ptr<float>();
    float* op = out.data_ptr<float>();
    auto stream = c10::cuda::getCurrentCUDAStream();
    if (width % 4 == 0 && is_aligned16(xp) && is_aligned16(gp) && is_aligned16(op)) {
        rms_norm_kernel<true><<<rows, kThreads, 0, stream>>>(xp, gp, op, width, static_cast<float>(eps));
    } else {
        rms_norm_kernel<false><<<rows, kThreads, 0, stream>>>(xp, gp, op, width, static_cast<float>(eps));
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="rms_norm_vec4",
    cpp_sources="torch::Tensor rms_norm(torch::Tensor x, torch::Tensor gain, double eps);",
    cuda_sources=cuda_source,
    functions=["rms_norm"],
)

class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.rms_norm(x, self.gain, self.eps)
