import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kSize = 4;
constexpr int kStride = 2;
constexpr int kPad = 1;

// One thread an output pixel. Output row r takes input row i through filter row kr where r = i * 2 - 1 + kr.
__global__ void up2_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                           const float* __restrict__ bias, float* __restrict__ out,
                           int in_channels, int out_channels, int height, int width, int total) {
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= total) {
        return;
    }
    const int out_w = width * kStride;
    const int out_h = height * kStride;
    const int c = index % out_w;
    const int r = (index / out_w) % out_h;
    const int o = (index / (out_w * out_h)) % out_channels;
    const int n = index / (out_w * out_h * out_channels);
    float sum = bias[o];
    for (int kr = (r + kPad) % kStride; kr < kSize; kr += kStride) {
        const int ir = (r + kPad - kr) / kStride;
        if (r + kPad < kr || ir >= height) {
            continue;
        }
        for (int kc = (c + kPad) % kStride; kc < kSize; kc += kStride) {
            const int ic = (c + kPad - kc) / kStride;
            if (c + kPad < kc || ic >= width) {
                continue;
            }
            for (int i = 0; i < in_channels; ++i) {
                const float v = x[((n * in_channels + i) * height + ir) * width + ic];
                const float w = weight[((i * out_channels + o) * kSize + kr) * kSize + kc];
                sum = fmaf(v, w, sum);
            }
        }
    }
    out[index] = sum;
}

torch::Tensor up2(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    TORCH_CHECK(weight.size(2) == kSize && weight.size(3) == kSize, "expected 4 x 4 filters");
    x = x.contiguous();
    weight = weight.contiguous();
    const int batch = x.size(0), in_channels = x.size(1), height = x.size(2), width = x.size(3);
    const int out_channels = weight.size(1);
    auto out = torch::empty({batch, out_channels, height * kStride, width * kStride}, x.options());
    const int total = static_cast<int>(out.numel());
    const int threads = 128;
    up2_kernel<<<(total + threads - 1) / threads, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(),
        in_channels, out_channels, height, width, total);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="conv_transpose2d_gather",
    cpp_sources="torch::Tensor up2(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=cuda_source,
    functions=["up2"],
)


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.up = nn.ConvTranspose2d(in_channels, out_channels, kernel_size=4, stride=2, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.up2(x, self.up.weight, self.up.bias)
