import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kWarps = 4;

// One warp a row, which reads both inputs twice: the second time from the cache.
__global__ void add_rms_norm_kernel(
    const float* __restrict__ x, const float* __restrict__ residual, const float* __restrict__ weight,
    float* __restrict__ out, int rows, int width, float eps) {
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * kWarps + (threadIdx.x >> 5);
    if (row >= rows) {
        return;
    }
    const size_t start = static_cast<size_t>(row) * width;
    float squares = 0.0f;
    for (int col = lane; col < width; col += 32) {
        const float total = x[start + col] + residual[start + col];
        squares = fmaf(total, total, squares);
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
        squares += __shfl_xor_sync(0xffffffffu, squares, offset);
    }
    const float scale = rsqrtf(squares / width + eps);
    for (int col = lane; col < width; col += 32) {
        out[start + col] = (x[start + col] + residual[start + col]) * scale * weight[col];
    }
}

torch::Tensor add_rms_norm(torch::Tensor x, torch::Tensor residual, torch::Tensor weight, double eps) {
    TORCH_CHECK(x.dim() == 2 && x.sizes() == residual.sizes(), "expected two matrices of one size");
    x = x.contiguous();
    residual = residual.contiguous();
    const int rows = static_cast<int>(x.size(0)), width = static_cast<int>(x.size(1));
    auto out = torch::empty_like(x);
    const int blocks = (rows + kWarps - 1) / kWarps;
    add_rms_norm_kernel<<<blocks, kWarps * 32, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), residual.data_ptr<float>(), weight.data_ptr<float>(), out.data_ptr<float>(), rows, width,
        static_cast<float>(eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="add_rms_norm_warp",
    cpp_sources="torch::Tensor add_rms_norm(torch::Tensor x, torch::Tensor residual, torch::Tensor weight, double eps);",
    cuda_sources=cuda_source,
    functions=["add_rms_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return ext.add_rms_norm(x, residual, self.weight, self.eps)
