import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

// One thread an element: its rank is the number of elements that go before it; the first k write themselves.
__global__ void topk_rank_kernel(const float* __restrict__ x, float* __restrict__ out, int columns, int k) {
    extern __shared__ float row[];
    const float* source = x + static_cast<size_t>(blockIdx.x) * columns;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        row[c] = source[c];
    }
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        const float mine = row[c];
        int rank = 0;
        for (int j = 0; j < columns; ++j) {
            rank += row[j] > mine || (row[j] == mine && j < c);
        }
        if (rank < k) {
            out[static_cast<size_t>(blockIdx.x) * k + rank] = mine;
        }
    }
}

torch::Tensor topk_values(torch::Tensor x, int64_t k) {
    x = x.contiguous();
    const int rows = x.size(0), columns = x.size(1);
    auto out = torch::empty({rows, k}, x.options());
    topk_rank_kernel<<<rows, 96, columns * sizeof(float), c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), columns, static_cast<int>(k));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="topk_values_rank",
    cpp_sources="torch::Tensor topk_values(torch::Tensor x, int64_t k);",
    cuda_sources=cuda_source,
    functions=["topk_values"],
)

class ModelNew(nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.topk_values(x, self.k)
