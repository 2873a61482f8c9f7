import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

// One block a (batch, channel) plane: scale and shift are the same for all of it.
__global__ void bn_relu_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                               const float* __restrict__ bias, const float* __restrict__ mean,
                               const float* __restrict__ var, float* __restrict__ out,
                               int channels, int plane_size, float eps) {
    const int channel = blockIdx.x % channels;
    const float scale = weight[channel] / sqrtf(var[channel] + eps);
    const float shift = bias[channel] - mean[channel] * scale;
    const size_t base = static_cast<size_t>(blockIdx.x) * plane_size;
    for (int i = threadIdx.x; i < plane_size; i += blockDim.x) {
        out[base + i] = fmaxf(fmaf(x[base + i], scale, shift), 0.0f);
    }
}

torch::Tensor bn_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor mean,
                      torch::Tensor var, double eps) {
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int channels = x.size(1);
    const int planes = x.size(0) * channels;
    const int plane_size = x.size(2) * x.size(3);
    bn_relu_kernel<<<planes, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), mean.data_ptr<float>(),
        var.data_ptr<float>(), out.data_ptr<float>(), channels, plane_size, static_cast<float>(eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

cpp_source = """
torch::Tensor bn_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor mean,
                      torch::Tensor var, double eps);
"""

ext = load_inline(
    name="batch_norm_relu_folded",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["bn_relu"],
)

class ModelNew(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels) * 0.2)
        self.register_buffer("running_mean", torch.randn(channels) * 0.3)
        self.register_buffer("running_var", torch.rand(channels) + 0.25)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.bn_relu(x, self.weight, self.bias, self.running_mean, self.running_var, 1e-5)
