"""RMS norm over channels: neighbouring threads take neighbouring places, each walks through the channels twice."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 128;

// `plane` is the distance between two channels of one place.
__global__ void rms_norm_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t places,
                                int64_t plane, int channels, float eps) {
    const int64_t place = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (place >= places) {
        return;
    }
    const int64_t first = place / plane * plane * channels + place % plane;
    float squares = 0.0f;
    #pragma unroll 8
    for (int c = 0; c < channels; ++c) {
        const float v = in[first + c * plane];
        squares = fmaf(v, v, squares);
    }
    const float scale = 1.0f / sqrtf(squares / channels + eps);
    #pragma unroll 8
    for (int c = 0; c < channels; ++c) {
        out[first + c * plane] = in[first + c * plane] * scale;
    }
}

torch::Tensor rms_norm_forward(torch::Tensor x, double eps) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    TORCH_CHECK(x.dim() >= 2, "x must have a batch and channels");
    auto out = torch::empty_like(x);
    if (x.numel() == 0) {
        return out;
    }
    const int64_t places = x.numel() / x.size(1), plane = places / x.size(0);
    const int64_t blocks = (places + kThreads - 1) / kThreads;
    TORCH_CHECK(blocks < (int64_t{1} << 31), "x is too large");
    rms_norm_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), places, plane, static_cast<int>(x.size(1)),
        static_cast<float>(eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_rms_norm",
    cpp_sources="torch::Tensor rms_norm_forward(torch::Tensor x, double eps);",
    cuda_sources=CUDA,
    functions=["rms_norm_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5):
        super().__init__()
        self.num_features = num_features
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.rms_norm_forward(x.contiguous(), self.eps)
