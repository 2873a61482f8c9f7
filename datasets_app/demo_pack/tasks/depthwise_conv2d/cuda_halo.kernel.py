import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kTileW = 32;
constexpr int kTileH = 8;

// grid: (column tiles, row tiles, batch * channels). The tile and a border of one pixel are staged in shared memory.
__global__ void depthwise3x3_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                    float* __restrict__ out, int channels, int height, int width) {
    __shared__ float tile[kTileH + 2][kTileW + 2];
    const int plane = blockIdx.z;
    const int col0 = blockIdx.x * kTileW;
    const int row0 = blockIdx.y * kTileH;
    const float* image = x + static_cast<size_t>(plane) * height * width;
    const int thread = threadIdx.y * kTileW + threadIdx.x;
    for (int i = thread; i < (kTileH + 2) * (kTileW + 2); i += kTileW * kTileH) {
        const int r = row0 + i / (kTileW + 2) - 1;
        const int c = col0 + i % (kTileW + 2) - 1;
        const bool inside = r >= 0 && r < height && c >= 0 && c < width;
        tile[i / (kTileW + 2)][i % (kTileW + 2)] = inside ? image[r * width + c] : 0.0f;
    }
    float w[9];
    #pragma unroll
    for (int i = 0; i < 9; ++i) {
        w[i] = weight[(plane % channels) * 9 + i];
    }
    __syncthreads();
    const int row = row0 + threadIdx.y;
    const int col = col0 + threadIdx.x;
    if (row < height && col < width) {
        float sum = 0.0f;
        #pragma unroll
        for (int dr = 0; dr < 3; ++dr) {
            #pragma unroll
            for (int dc = 0; dc < 3; ++dc) {
                sum = fmaf(tile[threadIdx.y + dr][threadIdx.x + dc], w[dr * 3 + dc], sum);
            }
        }
        out[static_cast<size_t>(plane) * height * width + row * width + col] = sum;
    }
}

torch::Tensor depthwise3x3(torch::Tensor x, torch::Tensor weight) {
    TORCH_CHECK(x.dim() == 4 && weight.size(2) == 3 && weight.size(3) == 3, "expected NCHW and 3 x 3 filters");
    x = x.contiguous();
    weight = weight.contiguous();
    auto out = torch::empty_like(x);
    const int channels = x.size(1), height = x.size(2), width = x.size(3);
    const dim3 threads(kTileW, kTileH);
    const dim3 blocks((width + kTileW - 1) / kTileW, (height + kTileH - 1) / kTileH, x.size(0) * channels);
    depthwise3x3_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), out.data_ptr<float>(), channels, height, width);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="depthwise_conv2d_halo",
    cpp_sources="torch::Tensor depthwise3x3(torch::Tensor x, torch::Tensor weight);",
    cuda_sources=cuda_source,
    functions=["depthwise3x3"],
)


class ModelNew(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size=3, padding=1, groups=channels, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.depthwise3x3(x, self.conv.weight)
