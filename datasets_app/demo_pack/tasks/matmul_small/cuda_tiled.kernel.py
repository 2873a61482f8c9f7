import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kTile = 16;

// One 16 x 16 tile of C a block; A and B pass through shared memory in 16 x 16 tiles.
__global__ void mean_matmul_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int m, int k, int n) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile + 1];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int col = blockIdx.x * kTile + tx;
    const int row = blockIdx.y * kTile + ty;
    float sum = 0.0f;
    for (int start = 0; start < k; start += kTile) {
        tile_a[ty][tx] = row < m && start + tx < k ? a[row * k + start + tx] : 0.0f;
        tile_b[ty][tx] = start + ty < k && col < n ? b[(start + ty) * n + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < kTile; ++i) {
            sum = fmaf(tile_a[ty][i], tile_b[i][tx], sum);
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        c[row * n + col] = sum / static_cast<float>(k);
    }
}

torch::Tensor mean_matmul(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0), "shapes do not match");
    a = a.contiguous();
    b = b.contiguous();
    const int m = a.size(0), k = a.size(1), n = b.size(1);
    auto c = torch::empty({m, n}, a.options());
    const dim3 threads(kTile, kTile);
    const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    mean_matmul_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, k, n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return c;
}
"""

ext = load_inline(
    name="matmul_small_tiled",
    cpp_sources="torch::Tensor mean_matmul(torch::Tensor a, torch::Tensor b);",
    cuda_sources=cuda_source,
    functions=["mean_matmul"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ext.mean_matmul(a, b)
