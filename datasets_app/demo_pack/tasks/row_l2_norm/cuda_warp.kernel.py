import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kWarpsPerBlock = 4;

// One warp a row. Lanes stride over the row, then fold their partial sums with shuffles.
__global__ void row_norm_kernel(const float* __restrict__ x, float* __restrict__ out, int rows, int width) {
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * kWarpsPerBlock + (threadIdx.x >> 5);
    if (row >= rows) {
        return;
    }
    const float* row_ptr = x + static_cast<size_t>(row) * width;
    float sum = 0.0f;
    for (int col = lane; col < width; col += 32) {
        const float v = row_ptr[col];
        sum = fmaf(v, v, sum);
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (lane == 0) {
        out[row] = sqrtf(sum);
    }
}

torch::Tensor row_norm(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "expected a matrix");
    x = x.contiguous();
    const int rows = static_cast<int>(x.size(0));
    const int width = static_cast<int>(x.size(1));
    auto out = torch::empty({rows}, x.options());
    const int blocks = (rows + kWarpsPerBlock - 1) / kWarpsPerBlock;
    row_norm_kernel<<<blocks, kWarpsPerBlock * 32, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), rows, width);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="row_l2_norm_warp",
    cpp_sources="torch::Tensor row_norm(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["row_norm"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.row_norm(x)
