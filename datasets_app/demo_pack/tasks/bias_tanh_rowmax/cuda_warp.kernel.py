import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kWarps = 4;

// One warp a row: the activation is never stored, only its running maximum.
__global__ void rowmax_kernel(const float* __restrict__ x, const float* __restrict__ bias,
                              const float* __restrict__ gain, float* __restrict__ out, int rows, int channels) {
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * kWarps + (threadIdx.x >> 5);
    if (row >= rows) {
        return;
    }
    float best = -INFINITY;
    for (int c = lane; c < channels; c += 32) {
        const float v = tanhf(x[static_cast<size_t>(row) * channels + c] + bias[c]) * gain[c];
        best = fmaxf(best, v);
    }
    for (int mask = 16; mask > 0; mask >>= 1) {
        best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, mask));
    }
    if (lane == 0) {
        out[row] = best;
    }
}

torch::Tensor bias_tanh_rowmax(torch::Tensor x, torch::Tensor bias, torch::Tensor gain) {
    x = x.contiguous();
    const int rows = x.size(0), channels = x.size(1);
    auto out = torch::empty({rows}, x.options());
    rowmax_kernel<<<(rows + kWarps - 1) / kWarps, kWarps * 32, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), bias.data_ptr<float>(), gain.data_ptr<float>(), out.data_ptr<float>(), rows, channels);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="bias_tanh_rowmax_warp",
    cpp_sources="torch::Tensor bias_tanh_rowmax(torch::Tensor x, torch::Tensor bias, torch::Tensor gain);",
    cuda_sources=cuda_source,
    functions=["bias_tanh_rowmax"],
)

class ModelNew(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(channels) * 0.1)
        self.gain = nn.Parameter(torch.randn(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.bias_tanh_rowmax(x, self.bias, self.gain)
