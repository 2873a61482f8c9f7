"""Cumulative sum: one block a row, tile after tile; each thread adds four values, each warp scans by shuffles."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kTile = kThreads * 4;
constexpr unsigned kAll = 0xffffffffu;

__global__ void cumsum_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t width,
                              bool by_quads) {
    __shared__ float warp_sums[kWarps];
    in += blockIdx.x * width;
    out += blockIdx.x * width;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float carry = 0.0f;  // the sum of all earlier tiles
    for (int64_t start = 0; start < width; start += kTile) {
        const int64_t place = start + threadIdx.x * 4;
        float v[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        if (by_quads && place < width) {  // the width is a multiple of 4
            const float4 quad = *reinterpret_cast<const float4*>(in + place);
            v[0] = quad.x;
            v[1] = quad.y;
            v[2] = quad.z;
            v[3] = quad.w;
        } else if (!by_quads) {
            for (int i = 0; i < 4; ++i) {
                v[i] = place + i < width ? in[place + i] : 0.0f;
            }
        }
        v[1] += v[0];
        v[2] += v[1];
        v[3] += v[2];
        float scanned = v[3];  // becomes the sum of this and all earlier lanes
        for (int step = 1; step < 32; step *= 2) {
            const float earlier = __shfl_up_sync(kAll, scanned, step);
            if (lane >= step) {
                scanned += earlier;
            }
        }
        const float left = __shfl_up_sync(kAll, scanned, 1);
        if (lane == 31) {
            warp_sums[warp] = scanned;
        }
        __syncthreads();
        float before = carry, tile_sum = 0.0f;
        for (int w = 0; w < kWarps; ++w) {
            before += w < warp ? warp_sums[w] : 0.0f;
            tile_sum += warp_sums[w];
        }
        carry += tile_sum;
        before += lane > 0 ? left : 0.0f;
        if (by_quads && place < width) {
            *reinterpret_cast<float4*>(out + place) =
                make_float4(before + v[0], before + v[1], before + v[2], before + v[3]);
        } else if (!by_quads) {
            for (int i = 0; i < 4; ++i) {
                if (place + i < width) {
                    out[place + i] = before + v[i];
                }
            }
        }
        __syncthreads();
    }
}

torch::Tensor cumsum_forward(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(x.dim() >= 1, "x must have a dimension");
    auto out = torch::empty_like(x);
    if (x.numel() == 0) {
        return out;
    }
    const int64_t width = x.size(-1), rows = x.numel() / width;
    TORCH_CHECK(rows < (int64_t{1} << 31), "there are too many rows");
    const float* in = x.data_ptr<float>();
    const bool by_quads = width % 4 == 0 && reinterpret_cast<uintptr_t>(in) % 16 == 0;
    cumsum_kernel<<<static_cast<unsigned>(rows), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        in, out.data_ptr<float>(), width, by_quads);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_cumsum",
    cpp_sources="torch::Tensor cumsum_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["cumsum_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = x.movedim(self.dim, -1).contiguous()  # no copy if it is the last one
        return extension.cumsum_forward(rows).movedim(-1, self.dim)
