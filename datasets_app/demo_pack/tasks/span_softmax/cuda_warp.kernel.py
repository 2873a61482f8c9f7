import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kWarpsPerBlock = 4;

__device__ __forceinline__ float warp_max(float v) {
    for (int mask = 16; mask > 0; mask >>= 1) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, mask));
    }
    return v;
}

__device__ __forceinline__ float warp_sum(float v) {
    for (int mask = 16; mask > 0; mask >>= 1) {
        v += __shfl_xor_sync(0xffffffffu, v, mask);
    }
    return v;
}

// One warp a row. Only the span is read; the rest of the row is zero without looking at the scores.
__global__ void span_softmax_kernel(const float* __restrict__ scores, const int64_t* __restrict__ start,
                                    const int64_t* __restrict__ end, float* __restrict__ out,
                                    int rows, int columns) {
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * kWarpsPerBlock + (threadIdx.x >> 5);
    if (row >= rows) {
        return;
    }
    const float* source = scores + static_cast<size_t>(row) * columns;
    float* result = out + static_cast<size_t>(row) * columns;
    const int first = static_cast<int>(start[row]);
    const int last = static_cast<int>(end[row]);
    float top = -INFINITY;
    for (int c = first + lane; c < last; c += 32) {
        top = fmaxf(top, source[c]);
    }
    top = warp_max(top);
    float sum = 0.0f;
    for (int c = first + lane; c < last; c += 32) {
        sum += expf(source[c] - top);
    }
    const float inverse = 1.0f / warp_sum(sum);
    for (int c = lane; c < columns; c += 32) {
        const bool inside = c >= first && c < last;
        result[c] = inside ? expf(source[c] - top) * inverse : 0.0f;
    }
}

torch::Tensor span_softmax(torch::Tensor scores, torch::Tensor start, torch::Tensor end) {
    scores = scores.contiguous();
    start = start.contiguous();
    end = end.contiguous();
    auto out = torch::empty_like(scores);
    const int rows = scores.size(0), columns = scores.size(1);
    const int blocks = (rows + kWarpsPerBlock - 1) / kWarpsPerBlock;
    span_softmax_kernel<<<blocks, kWarpsPerBlock * 32, 0, c10::cuda::getCurrentCUDAStream()>>>(
        scores.data_ptr<float>(), start.data_ptr<int64_t>(), end.data_ptr<int64_t>(), out.data_ptr<float>(),
        rows, columns);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(
    name="span_softmax_warp",
    cpp_sources="torch::Tensor span_softmax(torch::Tensor scores, torch::Tensor start, torch::Tensor end);",
    cuda_sources=cuda_source,
    functions=["span_softmax"],
)

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores: torch.Tensor, start: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
        return ext.span_softmax(scores, start, end)
