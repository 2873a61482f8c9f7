"""Transposed convolution, gathered per output place, with Mish, addition, Hardtanh and scaling before the store.

Output places of one phase (row and column modulo the stride) use the same kernel taps: a block works on one phase,
for which the transposed convolution is an ordinary one with stride 1.
"""

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

__device__ __forceinline__ float finish(float v, float addend, float scale) {
    const float softplus = v > 20.0f ? v : log1pf(expf(v));
    v = v * tanhf(softplus) + addend;
    v = v < -1.0f ? -1.0f : (v > 1.0f ? 1.0f : v);
    return v * scale;
}

// grid: (places of one phase, groups of output channels, phases)
__global__ void __launch_bounds__(kThreads)
conv_transpose_mish_kernel(const float* __restrict__ in, const float* __restrict__ weight,
                           const float* __restrict__ bias, float* __restrict__ out, int64_t places,
                           int phase_width, int phase_plane, Conv conv, float addend, float scale) {
    __shared__ __align__(16) float weights[kTaps][kChannels];
    __shared__ int4 taps[kTaps];  // input channel, row and column relative to the place in its phase
    const int64_t place = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    const int channel0 = blockIdx.y * kChannels;
    const int phase_y = blockIdx.z / conv.stride, phase_x = blockIdx.z % conv.stride;
    const int64_t image = place / phase_plane;
    const int spot = static_cast<int>(place % phase_plane);
    const int row = spot / phase_width, column = spot % phase_width;
    const int out_y = phase_y + row * conv.stride, out_x = phase_x + column * conv.stride;
    const bool active = place < places && out_y < conv.out_height && out_x < conv.out_width;
    const int plane = conv.height * conv.width, kernel_size = conv.kernel_height * conv.kernel_width;
    const float* source = in + (active ? image : 0) * conv.in_channels * plane;

    // The phase's first tap; later ones are one stride further, and their input one row (or column) earlier.
    const int first_y = (phase_y + conv.padding) % conv.stride;
    const int first_x = (phase_x + conv.padding) % conv.stride;
    const int rows = conv.kernel_height > first_y ? (conv.kernel_height - first_y - 1) / conv.stride + 1 : 0;
    const int columns = conv.kernel_width > first_x ? (conv.kernel_width - first_x - 1) / conv.stride + 1 : 0;
    const int in_y = row + (phase_y + conv.padding) / conv.stride;
    const int in_x = column + (phase_x + conv.padding) / conv.stride;
    const int all_taps = conv.in_channels * rows * columns;

    float sum[kChannels];
    #pragma unroll
    for (int i = 0; i < kChannels; ++i) {
        sum[i] = channel0 + i < conv.out_channels ? bias[channel0 + i] : 0.0f;
    }
    for (int tap0 = 0; tap0 < all_taps; tap0 += kTaps) {
        const int count = all_taps - tap0 < kTaps ? all_taps - tap0 : kTaps;
        for (int i = threadIdx.x; i < count; i += kThreads) {
            const int c = (tap0 + i) / (rows * columns), rest = (tap0 + i) % (rows * columns);
            const int ky = first_y + rest / columns * conv.stride, kx = first_x + rest % columns * conv.stride;
            taps[i] = make_int4(c, rest / columns, rest % columns, 0);
            #pragma unroll
            for (int j = 0; j < kChannels; ++j) {
                const int64_t pair = static_cast<int64_t>(c) * conv.out_channels + channel0 + j;
                const bool inside = channel0 + j < conv.out_channels;
                weights[i][j] = inside ? weight[pair * kernel_size + ky * conv.kernel_width + kx] : 0.0f;
            }
        }
        __syncthreads();
        for (int i = 0; i < count; ++i) {
            const int4 tap = taps[i];
            const int y = in_y - tap.y, x = in_x - tap.z;
            const bool inside = active && y >= 0 && y < conv.height && x >= 0 && x < conv.width;
            const float v = inside ? source[tap.x * plane + y * conv.width + x] : 0.0f;
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
        const int64_t out_plane = static_cast<int64_t>(conv.out_height) * conv.out_width;
        float* target = out + (image * conv.out_channels + channel0) * out_plane +
                        static_cast<int64_t>(out_y) * conv.out_width + out_x;
        #pragma unroll
        for (int i = 0; i < kChannels; ++i) {
            if (channel0 + i < conv.out_channels) {
                target[i * out_plane] = finish(sum[i], addend, scale);
            }
        }
    }
}

torch::Tensor conv_transpose_mish_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias,
                                          int64_t stride, int64_t padding, int64_t output_padding,
                                          double addend, double scale) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(weight.is_cuda() && weight.is_contiguous() && weight.scalar_type() == torch::kFloat32, "weight");
    TORCH_CHECK(bias.is_cuda() && bias.is_contiguous() && bias.scalar_type() == torch::kFloat32, "bias");
    TORCH_CHECK(x.dim() == 4 && weight.dim() == 4 && x.size(1) == weight.size(0), "shapes do not match");
    TORCH_CHECK(bias.numel() == weight.size(1), "shapes do not match");
    TORCH_CHECK(stride > 0 && stride <= 128 && padding >= 0 && output_padding >= 0, "unsupported stride");
    const int64_t out_height = (x.size(2) - 1) * stride - 2 * padding + weight.size(2) + output_padding;
    const int64_t out_width = (x.size(3) - 1) * stride - 2 * padding + weight.size(3) + output_padding;
    TORCH_CHECK(out_height > 0 && out_width > 0, "the output is empty");
    TORCH_CHECK(x.size(1) * x.size(2) * x.size(3) < (1 << 30) && out_height * out_width < (1 << 30),
                "one image is too large");
    auto out = torch::empty({x.size(0), weight.size(1), out_height, out_width}, x.options());
    if (out.numel() == 0) {
        return out;
    }
    const Conv conv = {static_cast<int>(x.size(1)), static_cast<int>(x.size(2)), static_cast<int>(x.size(3)),
                       static_cast<int>(weight.size(1)), static_cast<int>(out_height),
                       static_cast<int>(out_width), static_cast<int>(weight.size(2)),
                       static_cast<int>(weight.size(3)), static_cast<int>(stride), static_cast<int>(padding)};
    const int64_t phase_width = (out_width + stride - 1) / stride;
    const int64_t phase_plane = (out_height + stride - 1) / stride * phase_width;
    const int64_t places = x.size(0) * phase_plane;
    const dim3 blocks(static_cast<unsigned>((places + kThreads - 1) / kThreads),
                      static_cast<unsigned>((weight.size(1) + kChannels - 1) / kChannels),
                      static_cast<unsigned>(stride * stride));
    conv_transpose_mish_kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(), places,
        static_cast<int>(phase_width), static_cast<int>(phase_plane), conv, static_cast<float>(addend),
        static_cast<float>(scale));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

CPP = """
torch::Tensor conv_transpose_mish_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias,
                                          int64_t stride, int64_t padding, int64_t output_padding,
                                          double addend, double scale);
"""

extension = load_inline(
    name="kernelbench_conv_transpose_mish",
    cpp_sources=CPP,
    cuda_sources=CUDA,
    functions=["conv_transpose_mish_forward"],
)


class ModelNew(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, add_value, scale
    ):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride, padding, output_padding
        )
        self.add_value = add_value
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        conv = self.conv_transpose
        geometry = (conv.stride[0], conv.padding[0], conv.output_padding[0])
        return extension.conv_transpose_mish_forward(
            x.contiguous(),
            conv.weight.contiguous(),
            conv.bias.contiguous(),
            *geometry,
            self.add_value,
            self.scale,
        )
