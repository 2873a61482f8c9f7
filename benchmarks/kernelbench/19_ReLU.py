"""ReLU: four values per thread and load, 64-bit indices."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <algorithm>

constexpr int kThreads = 256;
constexpr int64_t kMaxBlocks = 1 << 20;

__device__ __forceinline__ float relu_of(float v) { return v < 0.0f ? 0.0f : v; }  // NaN stays NaN

__global__ void relu_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t count,
                            int64_t quads) {
    const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const float4* in4 = reinterpret_cast<const float4*>(in);
    float4* out4 = reinterpret_cast<float4*>(out);
    for (int64_t i = first; i < quads; i += stride) {
        const float4 v = in4[i];
        out4[i] = make_float4(relu_of(v.x), relu_of(v.y), relu_of(v.z), relu_of(v.w));
    }
    for (int64_t i = quads * 4 + first; i < count; i += stride) {
        out[i] = relu_of(in[i]);
    }
}

torch::Tensor relu_forward(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32,
                "x must be a contiguous float32 tensor on the GPU");
    auto out = torch::empty_like(x);
    const int64_t count = x.numel();
    if (count == 0) {
        return out;
    }
    const float* in = x.data_ptr<float>();
    const bool aligned = reinterpret_cast<uintptr_t>(in) % 16 == 0;
    const int64_t quads = aligned ? count / 4 : 0;
    const int64_t work = std::max<int64_t>(aligned ? quads : count, 1);
    const int64_t blocks = std::min((work + kThreads - 1) / kThreads, kMaxBlocks);
    relu_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        in, out.data_ptr<float>(), count, quads);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_relu",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.relu_forward(x.contiguous())
