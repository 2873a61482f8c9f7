"""Max pooling: one thread per window; neighbouring windows share their values in the cache."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <algorithm>

constexpr int kThreadsX = 64, kThreadsY = 4;

struct Pool {
    int height, width, out_height, out_width;
    int size, stride, padding, dilation;
};

__global__ void max_pool_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t planes,
                                Pool pool) {
    const int column = blockIdx.x * kThreadsX + threadIdx.x;
    const int row = blockIdx.y * kThreadsY + threadIdx.y;
    if (column >= pool.out_width || row >= pool.out_height) {
        return;
    }
    const int top = row * pool.stride - pool.padding, left = column * pool.stride - pool.padding;
    for (int64_t plane = blockIdx.z; plane < planes; plane += gridDim.z) {
        const float* source = in + plane * pool.height * pool.width;
        float best = -INFINITY;
        for (int ky = 0; ky < pool.size; ++ky) {
            const int y = top + ky * pool.dilation;
            if (y < 0 || y >= pool.height) {
                continue;
            }
            const float* line = source + static_cast<int64_t>(y) * pool.width;
            for (int kx = 0; kx < pool.size; ++kx) {
                const int x = left + kx * pool.dilation;
                if (x >= 0 && x < pool.width) {
                    const float v = line[x];
                    best = v > best || isnan(v) ? v : best;  // a NaN stays: nothing is greater
                }
            }
        }
        out[(plane * pool.out_height + row) * pool.out_width + column] = best;
    }
}

torch::Tensor max_pool_forward(torch::Tensor x, int64_t size, int64_t stride, int64_t padding,
                               int64_t dilation) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(x.dim() == 4, "x must have batch, channels, height and width");
    TORCH_CHECK(size > 0 && stride > 0 && dilation > 0 && padding >= 0 && padding * 2 <= size,
                "the window is not valid");
    const int64_t height = x.size(2), width = x.size(3), reach = dilation * (size - 1) + 1;
    TORCH_CHECK(height + 2 * padding >= reach && width + 2 * padding >= reach, "the window does not fit");
    TORCH_CHECK(height < (1 << 17) && width < (1 << 17), "the planes are too large");
    const int64_t out_height = (height + 2 * padding - reach) / stride + 1;
    const int64_t out_width = (width + 2 * padding - reach) / stride + 1;
    const int64_t planes = x.size(0) * x.size(1);
    auto out = torch::empty({x.size(0), x.size(1), out_height, out_width}, x.options());
    if (out.numel() == 0) {
        return out;
    }
    const Pool pool = {static_cast<int>(height), static_cast<int>(width), static_cast<int>(out_height),
                       static_cast<int>(out_width), static_cast<int>(size), static_cast<int>(stride),
                       static_cast<int>(padding), static_cast<int>(dilation)};
    const dim3 threads(kThreadsX, kThreadsY);
    const dim3 blocks(static_cast<unsigned>((out_width + kThreadsX - 1) / kThreadsX),
                      static_cast<unsigned>((out_height + kThreadsY - 1) / kThreadsY),
                      static_cast<unsigned>(std::min<int64_t>(planes, 65535)));
    max_pool_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), planes, pool);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

CPP = """
torch::Tensor max_pool_forward(torch::Tensor x, int64_t size, int64_t stride, int64_t padding, int64_t dilation);
"""

extension = load_inline(
    name="kernelbench_max_pool", cpp_sources=CPP, cuda_sources=CUDA, functions=["max_pool_forward"]
)


class ModelNew(nn.Module):
    def __init__(self, kernel_size: int, stride: int, padding: int, dilation: int):
        super().__init__()
        self.window = (kernel_size, stride, padding, dilation)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.max_pool_forward(x.contiguous(), *self.window)
