"""Library product; GELU and softmax in one kernel, one block a row, the activations kept in shared memory."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <cfloat>

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kKept = 8192;  // activations of a row that fit; those of a longer row are computed again
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

__device__ __forceinline__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f)); }

__global__ void gelu_softmax_kernel(const float* __restrict__ in, float* __restrict__ out, int width) {
    __shared__ float kept[kKept];
    __shared__ float shared[kWarps];
    in += static_cast<int64_t>(blockIdx.x) * width;
    out += static_cast<int64_t>(blockIdx.x) * width;
    float top = -FLT_MAX;
    for (int i = threadIdx.x; i < width; i += kThreads) {
        const float v = gelu(in[i]);
        if (i < kKept) {
            kept[i] = v;  // read by this thread alone
        }
        top = fmaxf(top, v);
    }
    top = block_max(top, shared);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < width; i += kThreads) {
        const float e = expf((i < kKept ? kept[i] : gelu(in[i])) - top);
        if (i < kKept) {
            kept[i] = e;
        }
        sum += e;
    }
    const float scale = 1.0f / block_sum(sum, shared);
    for (int i = threadIdx.x; i < width; i += kThreads) {
        out[i] = (i < kKept ? kept[i] : expf(gelu(in[i]) - top)) * scale;
    }
}

torch::Tensor gelu_softmax_forward(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(x.dim() == 2 && x.size(1) < (1 << 30), "x must have rows and columns");
    auto out = torch::empty_like(x);
    if (x.numel() == 0) {
        return out;
    }
    gelu_softmax_kernel<<<static_cast<unsigned>(x.size(0)), kThreads, 0,
                          c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), static_cast<int>(x.size(1)));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_gelu_softmax",
    cpp_sources="torch::Tensor gelu_softmax_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["gelu_softmax_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.gelu_softmax_forward(self.linear(x).contiguous())
