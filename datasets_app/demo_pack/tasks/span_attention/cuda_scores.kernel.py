import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

// One block a (query, batch * head). Scores of the query against all keys live in shared memory.
__global__ void span_attention_kernel(const float* __restrict__ q, const float* __restrict__ k,
                                      const float* __restrict__ v, const bool* __restrict__ mask,
                                      float* __restrict__ out, int heads, int length, int size, float scale) {
    extern __shared__ float score[];
    const int query = blockIdx.x;
    const size_t head_base = static_cast<size_t>(blockIdx.y) * length * size;
    const bool* allowed = mask + (static_cast<size_t>(blockIdx.y / heads) * length + query) * length;
    const float* q_row = q + head_base + query * size;
    for (int j = threadIdx.x; j < length; j += blockDim.x) {
        float dot = -INFINITY;
        if (allowed[j]) {
            dot = 0.0f;
            for (int d = 0; d < size; ++d) {
                dot += q_row[d] * k[head_base + j * size + d];
            }
            dot *= scale;
        }
        score[j] = dot;
    }
    __syncthreads();
    float top = -INFINITY;
    for (int j = 0; j < length; ++j) {
        top = fmaxf(top, score[j]);
    }
    float total = 0.0f;
    for (int j = 0; j < length; ++j) {
        total += expf(score[j] - top);
    }
    for (int d = threadIdx.x; d < size; d += blockDim.x) {
        float sum = 0.0f;
        for (int j = 0; j < length; ++j) {
            sum += expf(score[j] - top) * v[head_base + j * size + d];
        }
        out[head_base + query * size + d] = sum / total;
    }
}

torch::Tensor span_attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor mask,
                             double scale) {
    q = q.contiguous();
    k = k.contiguous();
    v = v.contiguous();
    mask = mask.contiguous();
    auto out = torch::empty_like(q);
    const int batch = q.size(0), heads = q.size(1), length = q.size(2), size = q.size(3);
    const dim3 blocks(length, batch * heads);
    span_attention_kernel<<<blocks, 32, length * sizeof(float), c10::cuda::getCurrentCUDAStream()>>>(
        q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), mask.data_ptr<bool>(),
        out.data_ptr<float>(), heads, length, size, static_cast<float>(scale));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

cpp_source = """
torch::Tensor span_attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor mask,
                             double scale);
"""

ext = load_inline(
    name="span_attention_scores",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["span_attention"],
)

class ModelNew(nn.Module):
    def __init__(self, head_size: int):
        super().__init__()
        self.scale = 1.0 / head_size

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return ext.span_attention(q, k, v, mask, self.scale)
