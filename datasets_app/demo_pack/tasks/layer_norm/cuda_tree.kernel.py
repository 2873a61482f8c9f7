import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kThreads = 128;

// One block a row, two passes: the mean first, then the squared distances from it.
__global__ void layer_norm_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                  const float* __restrict__ bias, float* __restrict__ out,
                                  int width, float eps) {
    __shared__ float buffer[kThreads];
    const int t = threadIdx.x;
    const float* row = x + static_cast<size_t>(blockIdx.x) * width;
    float* result = out + static_cast<size_t>(blockIdx.x) * width;

    float sum = 0.0f;
    for (int c = t; c < width; c += kThreads) {
        sum += row[c];
    }
    buffer[t] = sum;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half >>= 1) {
        if (t < half) {
            buffer[t] += buffer[t + half];
        }
        __syncthreads();
    }
    const float mean = buffer[0] / width;
    __syncthreads();

    float squares = 0.0f;
    for (int c = t; c < width; c += kThreads) {
        const float d = row[c] - mean;
        squares += d * d;
    }
    buffer[t] = squares;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half >>= 1) {
        if (t < half) {
            buffer[t] += buffer[t + half];
        }
        __syncthreads();
    }
    const float inverse = rsqrtf(buffer[0] / width + eps);
    for (int c = t; c < width; c += kThreads) {
        result[c] = (row[c] - mean) * inverse * weight[c] + bias[c];
    }
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int width = static_cast<int>(x.size(-1));
    const int rows = static_cast<int>(x.numel() / width);
    layer_norm_kernel<<<rows, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(),
        width, static_cast<float>(eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="layer_norm_tree",
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
