"""Direct convolution: a thread per output place, sixteen channels at once, weights staged in shared memory."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 128;
constexpr int kChannels = 16;  // output channels per thread
constexpr int kTaps = 128;     // taps (input channel, row, column of the kernel) staged at a time

struct Conv {
    int in_channels, height, width;
    int out_channels, out_height, out_width;
    int kernel_height, kernel_width, stride, padding;
};

__global__ void __launch_bounds__(kThreads)
conv_kernel(const float* __restrict__ in, const float* __restrict__ weight, const float* __restrict__ bias,
            float* __restrict__ out, int64_t places, Conv conv) {
    __shared__ __align__(16) float weights[kTaps][kChannels];
    __shared__ int4 taps[kTaps];  // offset in the image, row, column
    const int64_t place = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    const bool active = place < places;
    const int channel0 = blockIdx.y * kChannels;
    const int out_plane = conv.out_height * conv.out_width, plane = conv.height * conv.width;
    const int64_t image = active ? place / out_plane : 0;
    const int spot = active ? static_cast<int>(place % out_plane) : 0;
    const int top = spot / conv.out_width * conv.stride - conv.padding;
    const int left = spot % conv.out_width * conv.stride - conv.padding;
    const float* source = in + image * conv.in_channels * plane;
    const int kernel_size = conv.kernel_height * conv.kernel_width;
    const int all_taps = conv.in_channels * kernel_size;

    float sum[kChannels];
    #pragma unroll
    for (int i = 0; i < kChannels; ++i) {
        sum[i] = channel0 + i < conv.out_channels ? bias[channel0 + i] : 0.0f;
    }
    for (int tap0 = 0; tap0 < all_taps; tap0 += kTaps) {
        const int count = all_taps - tap0 < kTaps ? all_taps - tap0 : kTaps;
        for (int i = threadIdx.x; i < count; i += kThreads) {
            const int c = (tap0 + i) / kernel_size, rest = (tap0 + i) % kernel_size;
            const int ky = rest / conv.kernel_width, kx = rest % conv.kernel_width;
            taps[i] = make_int4(c * plane + ky * conv.width + kx, ky, kx, 0);
        }
        for (int i = threadIdx.x; i < count * kChannels; i += kThreads) {
            const int tap = i % count, channel = i / count;
            const bool inside = channel0 + channel < conv.out_channels;
            weights[tap][channel] =
                inside ? weight[static_cast<int64_t>(channel0 + channel) * all_taps + tap0 + tap] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < count; ++i) {
            const int4 tap = taps[i];
            const int y = top + tap.y, x = left + tap.z;
            const bool inside = y >= 0 && y < conv.height && x >= 0 && x < conv.width;
            const float v = inside ? source[top * conv.width + left + tap.x] : 0.0f;
            const float4* quads = reinterpret_cast<const float4*>(weights[i]);
            #pragma unroll
            for (int q = 0; q < kChannels / 4; ++q) {
                const float4 w = quads[q];
                sum[q * 4] = fmaf(v, w.x, sum[q * 4]);
                sum[q * 4 + 1] = fmaf(v, w.y, sum[q * 4 + 1]);
                sum[q * 4 + 2] = fmaf(v, w.z, sum[q * 4 + 2]);
                sum[q * 4 + 3] = fmaf(v, w.w, sum[q * 4 + 3]);
            }
        }
        __syncthreads();
    }
    if (active) {
        float* target = out + (image * conv.out_channels + channel0) * out_plane + spot;
        #pragma unroll
        for (int i = 0; i < kChannels; ++i) {
            if (channel0 + i < conv.out_channels) {
                target[static_cast<int64_t>(i) * out_plane] = sum[i];
            }
        }
    }
}

torch::Tensor conv_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t stride,
                           int64_t padding) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(weight.is_cuda() && weight.is_contiguous() && weight.scalar_type() == torch::kFloat32, "weight");
    TORCH_CHECK(bias.is_cuda() && bias.is_contiguous() && bias.scalar_type() == torch::kFloat32, "bias");
    TORCH_CHECK(x.dim() == 4 && weight.dim() == 4 && x.size(1) == weight.size(1), "shapes do not match");
    TORCH_CHECK(bias.numel() == weight.size(0) && stride > 0 && padding >= 0, "shapes do not match");
    const int64_t height = x.size(2), width = x.size(3);
    const int64_t kernel_height = weight.size(2), kernel_width = weight.size(3);
    TORCH_CHECK(height + 2 * padding >= kernel_height && width + 2 * padding >= kernel_width,
                "the kernel is larger than the image");
    const int64_t out_height = (height + 2 * padding - kernel_height) / stride + 1;
    const int64_t out_width = (width + 2 * padding - kernel_width) / stride + 1;
    TORCH_CHECK(x.size(1) * height * width < (1 << 30) && out_height * out_width < (1 << 30),
                "one image is too large");
    auto out = torch::empty({x.size(0), weight.size(0), out_height, out_width}, x.options());
    if (out.numel() == 0) {
        return out;
    }
    const Conv conv = {static_cast<int>(x.size(1)), static_cast<int>(height), static_cast<int>(width),
                       static_cast<int>(weight.size(0)), static_cast<int>(out_height),
                       static_cast<int>(out_width), static_cast<int>(kernel_height),
                       static_cast<int>(kernel_width), static_cast<int>(stride), static_cast<int>(padding)};
    const int64_t places = x.size(0) * out_height * out_width;
    const dim3 blocks(static_cast<unsigned>((places + kThreads - 1) / kThreads),
                      static_cast<unsigned>((weight.size(0) + kChannels - 1) / kChannels));
    conv_kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(), places,
        conv);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

CPP = """
torch::Tensor conv_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t stride,
                           int64_t padding);
"""

extension = load_inline(
    name="kernelbench_conv_direct", cpp_sources=CPP, cuda_sources=CUDA, functions=["conv_forward"]
)


class ModelNew(nn.Module):
    def __init__(self, num_classes=1000):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels=3, out_channels=96, kernel_size=11, stride=4, padding=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.conv1.weight.contiguous(), self.conv1.bias.contiguous()
        return extension.conv_forward(
            x.contiguous(), weight, bias, self.conv1.stride[0], self.conv1.padding[0]
        )
