import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>
#include <cstdint>

__device__ __forceinline__ float gate(float x, float y) {
    return x / (1.0f + expf(-x)) + 0.5f * y;
}

// Four elements a thread through one 16-byte load; the up to three that are left over go to the first threads.
__global__ void gate_vec4_kernel(const float* __restrict__ x, const float* __restrict__ y,
                                 float* __restrict__ out, int n) {
    const int n4 = n >> 2;
    const int stride = gridDim.x * blockDim.x;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    const float4* y4 = reinterpret_cast<const float4*>(y);
    float4* out4 = reinterpret_cast<float4*>(out);
    for (int i = first; i < n4; i += stride) {
        float4 a = x4[i];
        float4 b = y4[i];
        out4[i] = make_float4(gate(a.x, b.x), gate(a.y, b.y), gate(a.z, b.z), gate(a.w, b.w));
    }
    const int tail = (n4 << 2) + first;
    if (tail < n) {
        out[tail] = gate(x[tail], y[tail]);
    }
}

__global__ void gate_scalar_kernel(const float* __restrict__ x, const float* __restrict__ y,
                                   float* __restrict__ out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = gate(x[i], y[i]);
    }
}

static bool is_aligned16(const void* p) {
    return (reinterpret_cast<std::uintptr_t>(p) & 15) == 0;
}

torch::Tensor silu_gate_add(torch::Tensor x, torch::Tensor y) {
    TORCH_CHECK(x.sizes() == y.sizes(), "x and y must have one shape");
    x = x.contiguous();
    y = y.contiguous();
    auto out = torch::empty_like(x);
    const int n = static_cast<int>(x.numel());
    const float* xp = x.data_ptr<float>();
    const float* yp = y.data_ptr<float>();
    float* op = out.data_ptr<float>();
    const int threads = 128;
    const int blocks = (n / 4 + threads) / threads;
    auto stream = c10::cuda::getCurrentCUDAStream();
    if (is_aligned16(xp) && is_aligned16(yp) && is_aligned16(op)) {
        gate_vec4_kernel<<<blocks, threads, 0, stream>>>(xp, yp, op, n);
    } else {
        gate_scalar_kernel<<<blocks, threads, 0, stream>>>(xp, yp, op, n);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

cpp_source = "torch::Tensor silu_gate_add(torch::Tensor x, torch::Tensor y);"

ext = load_inline(
    name="silu_gate_add_vec4",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["silu_gate_add"],
    extra_cuda_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return ext.silu_gate_add(x, y)
