import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

__global__ void depthwise3x3_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                    float* __restrict__ out, int total, int channels, int height, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) {
        return;
    }
    const int col = i % width;
    const int row = (i / width) % height;
    const int plane = i / (width * height);
    const float* w = weight + (plane % channels) * 9;
    const float* image = x + static_cast<size_t>(plane) * height * width;
    float sum = 0.0f;
    #pragma unroll
    for (int dr = -1; dr <= 1; ++dr) {
        #pragma unroll
        for (int dc = -1; dc <= 1; ++dc) {
            const int r = row + dr;
            const int c = col + dc;
            if (r >= 0 && r < height && c >= 0 && c < width) {
                sum = fmaf(__ldg(image + r * width + c), __ldg(w + (dr + 1) * 3 + dc + 1), sum);
            }
        }
    }
    out[i] = sum;
}

torch::Tensor depthwise3x3(torch::Tensor x, torch::Tensor weight) {
    x = x.contiguous();
    weight = weight.contiguous();
    auto out = torch::empty_like(x);
    const int total = static_cast<int>(x.numel());
    const int threads = 256;
    depthwise3x3_kernel<<<(total + threads - 1) / threads, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), out.data_ptr<float>(), total,
        static_cast<int>(x.size(1)), static_cast<int>(x.size(2)), static_cast<int>(x.size(3)));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="depthwise_conv2d_direct",
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
