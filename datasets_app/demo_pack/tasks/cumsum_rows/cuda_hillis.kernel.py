import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

// Hillis-Steele scan of one row a block, double buffered in shared memory; blockDim.x >= width.
__global__ void cumsum_kernel(const float* __restrict__ x, float* __restrict__ out, int width) {
    extern __shared__ float buffer[];
    float* src = buffer;
    float* dst = buffer + blockDim.x;
    const int t = threadIdx.x;
    const size_t base = static_cast<size_t>(blockIdx.x) * width;
    src[t] = t < width ? x[base + t] : 0.0f;
    __syncthreads();
    for (int offset = 1; offset < width; offset <<= 1) {
        dst[t] = t >= offset ? src[t] + src[t - offset] : src[t];
        __syncthreads();
        float* swap = src;
        src = dst;
        dst = swap;
    }
    if (t < width) {
        out[base + t] = src[t];
    }
}

torch::Tensor cumsum_rows(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(1) <= 1024, "expected rows of at most 1024");
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int width = static_cast<int>(x.size(1));
    const int threads = ((width + 31) / 32) * 32;
    cumsum_kernel<<<x.size(0), threads, 2 * threads * sizeof(float), c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), width);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="cumsum_rows_hillis",
    cpp_sources="torch::Tensor cumsum_rows(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["cumsum_rows"],
)


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert self.dim == 1
        return ext.cumsum_rows(x)
