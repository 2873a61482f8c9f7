"""Product of a tall and a wide matrix, bound by the stores of its result: 16 bytes a thread and store."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kCols = 256, kRows = 32;  // of C per block
constexpr int kDepth = 32;              // the whole inner dimension of such products, as a rule
constexpr int kThreads = 256;           // 64 groups of four columns by 4 groups of eight rows

__global__ void __launch_bounds__(kThreads)
outer_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
             int k, bool by_quads) {
    __shared__ __align__(16) float tile_a[kDepth][kRows + 4];  // transposed
    __shared__ __align__(16) float tile_b[kDepth][kCols];
    const int thread = threadIdx.x;
    const int tx = thread % 64, ty = thread / 64;
    const int row0 = blockIdx.x * kRows, col0 = blockIdx.y * kCols;
    float sum[8][4] = {};
    for (int k0 = 0; k0 < k; k0 += kDepth) {
        for (int i = thread; i < kRows * kDepth; i += kThreads) {
            const int r = i / kDepth, d = i % kDepth;
            const bool inside = row0 + r < m && k0 + d < k;
            tile_a[d][r] = inside ? a[static_cast<int64_t>(row0 + r) * k + k0 + d] : 0.0f;
        }
        for (int i = thread; i < kDepth * kCols; i += kThreads) {
            const int d = i / kCols, col = i % kCols;
            const bool inside = k0 + d < k && col0 + col < n;
            tile_b[d][col] = inside ? b[static_cast<int64_t>(k0 + d) * n + col0 + col] : 0.0f;
        }
        __syncthreads();
        #pragma unroll 8
        for (int d = 0; d < kDepth; ++d) {
            const float4 a0 = *reinterpret_cast<const float4*>(&tile_a[d][ty * 8]);
            const float4 a1 = *reinterpret_cast<const float4*>(&tile_a[d][ty * 8 + 4]);
            const float4 right = *reinterpret_cast<const float4*>(&tile_b[d][tx * 4]);
            const float left[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                sum[i][0] = fmaf(left[i], right.x, sum[i][0]);
                sum[i][1] = fmaf(left[i], right.y, sum[i][1]);
                sum[i][2] = fmaf(left[i], right.z, sum[i][2]);
                sum[i][3] = fmaf(left[i], right.w, sum[i][3]);
            }
        }
        __syncthreads();
    }
    const int col = col0 + tx * 4;
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = row0 + ty * 8 + i;
        if (row >= m || col >= n) {
            continue;
        }
        float* target = c + static_cast<int64_t>(row) * n + col;
        if (by_quads) {  // n is a multiple of 4, so four columns are inside or none
            *reinterpret_cast<float4*>(target) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        } else {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                if (col + j < n) {
                    target[j] = sum[i][j];
                }
            }
        }
    }
}

torch::Tensor outer_forward(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda() && a.is_contiguous() && b.is_contiguous(),
                "both matrices must be contiguous and on the GPU");
    TORCH_CHECK(a.scalar_type() == torch::kFloat32 && b.scalar_type() == torch::kFloat32, "float32 is needed");
    TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0), "shapes do not match");
    const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
    const int64_t row_tiles = (m + kRows - 1) / kRows, col_tiles = (n + kCols - 1) / kCols;
    TORCH_CHECK(col_tiles <= 65535 && m < (1 << 30) && k < (1 << 30), "the matrices are too large");
    auto c = torch::empty({m, n}, a.options());
    if (c.numel() == 0) {
        return c;
    }
    const bool by_quads = n % 4 == 0 && reinterpret_cast<uintptr_t>(c.data_ptr<float>()) % 16 == 0;
    const dim3 blocks(static_cast<unsigned>(row_tiles), static_cast<unsigned>(col_tiles));
    outer_kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), static_cast<int>(m),
        static_cast<int>(n), static_cast<int>(k), by_quads);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return c;
}
"""

extension = load_inline(
    name="kernelbench_matmul_tall_skinny",
    cpp_sources="torch::Tensor outer_forward(torch::Tensor a, torch::Tensor b);",
    cuda_sources=CUDA,
    functions=["outer_forward"],
)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return extension.outer_forward(a.contiguous(), b.contiguous())
