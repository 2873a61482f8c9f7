import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kWarpsPerBlock = 4;
constexpr int kMaxPerLane = 32;  // rows of up to 32 * 32 = 1024 columns stay in registers

__device__ __forceinline__ float warp_sum(float v) {
    #pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        v += __shfl_xor_sync(0xffffffffu, v, mask);
    }
    return v;
}

// One warp a row; the row is read once and kept in registers for both passes.
template <int kPerLane>
__global__ void layer_norm_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                  const float* __restrict__ bias, float* __restrict__ out,
                                  int rows, int width, float eps) {
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * kWarpsPerBlock + (threadIdx.x >> 5);
    if (row >= rows) {
        return;
    }
    const float* source = x + static_cast<size_t>(row) * width;
    float v[kPerLane];
    float sum = 0.0f;
    #pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
        const int c = lane + 32 * i;
        v[i] = c < width ? source[c] : 0.0f;
        sum += v[i];
    }
    const float mean = warp_sum(sum) / width;
    float squares = 0.0f;
    #pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
        const float d = lane + 32 * i < width ? v[i] - mean : 0.0f;
        squares = fmaf(d, d, squares);
    }
    const float inverse = rsqrtf(warp_sum(squares) / width + eps);
    float* result = out + static_cast<size_t>(row) * width;
    #pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
        const int c = lane + 32 * i;
        if (c < width) {
            result[c] = (v[i] - mean) * inverse * weight[c] + bias[c];
        }
    }
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int width = static_cast<int>(x.size(-1));
    TORCH_CHECK(width <= 32 * kMaxPerLane, "rows of more than 1024 columns are not supported");
    const int rows = static_cast<int>(x.numel() / width);
    const int blocks = (rows + kWarpsPerBlock - 1) / kWarpsPerBlock;
    const int threads = kWarpsPerBlock * 32;
    auto stream = c10::cuda::getCurrentCUDAStream();
    if (width <= 256) {
        layer_norm_kernel<8><<<blocks, threads, 0, stream>>>(
            x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(),
            rows, width, static_cast<float>(eps));
    } else {
        layer_norm_kernel<kMaxPerLane><<<blocks, threads, 0, stream>>>(
            x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(),
            rows, width, static_cast<float>(eps));
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="layer_norm_registers",
    cpp_sources="torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps);",
    cuda_sources=cuda_source,
    functions=["layer_norm"],
)

class ModelNew(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.uniform_(self.norm.bias, -0.5, 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.layer_norm(x, self.norm.weight, self.norm.bias, self.norm.eps)
