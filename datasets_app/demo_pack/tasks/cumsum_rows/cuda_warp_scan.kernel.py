import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

__device__ __forceinline__ float warp_inclusive_scan(float v, int lane) {
    for (int offset = 1; offset < 32; offset <<= 1) {
        const float left = __shfl_up_sync(0xffffffffu, v, offset);
        if (lane >= offset) {
            v += left;
        }
    }
    return v;
}

// One block a row, chunks of 256 columns. `carry` is the sum of all the chunks before this one.
__global__ void cumsum_kernel(const float* __restrict__ x, float* __restrict__ out, int width) {
    __shared__ float warp_total[kWarps];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const size_t base = static_cast<size_t>(blockIdx.x) * width;
    float carry = 0.0f;
    for (int start = 0; start < width; start += kThreads) {
        const int col = start + threadIdx.x;
        float v = col < width ? x[base + col] : 0.0f;
        v = warp_inclusive_scan(v, lane);
        if (lane == 31) {
            warp_total[warp] = v;
        }
        __syncthreads();
        if (warp == 0) {
            float total = lane < kWarps ? warp_total[lane] : 0.0f;
            total = warp_inclusive_scan(total, lane);
            if (lane < kWarps) {
                warp_total[lane] = total;
            }
        }
        __syncthreads();
        const float before = warp > 0 ? warp_total[warp - 1] : 0.0f;
        if (col < width) {
            out[base + col] = carry + (before + v);
        }
        carry += warp_total[kWarps - 1];
        __syncthreads();
    }
}

torch::Tensor cumsum_rows(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "expected a matrix");
    x = x.contiguous();
    auto out = torch::empty_like(x);
    cumsum_kernel<<<x.size(0), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), static_cast<int>(x.size(1)));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="cumsum_rows_warp_scan",
    cpp_sources="torch::Tensor cumsum_rows(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["cumsum_rows"],
)


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert self.dim == 1
        return ext.cumsum_rows(x)
