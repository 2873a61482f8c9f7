import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

constexpr int kSize = 16;            // head size
constexpr int kQueriesPerBlock = 16;
constexpr int kThreads = kQueriesPerBlock * kSize;
constexpr int kKeysPerTile = 32;

// A half warp of 16 lanes owns one query, a lane one dimension. Keys and values pass through shared memory in
// tiles of 32; the softmax is kept up to date as the tiles go by (running maximum, running sum).
__global__ void span_attention_kernel(const float* __restrict__ q, const float* __restrict__ k,
                                      const float* __restrict__ v, const bool* __restrict__ mask,
                                      float* __restrict__ out, int heads, int length, float scale) {
    __shared__ float tile_k[kKeysPerTile][kSize];
    __shared__ float tile_v[kKeysPerTile][kSize];
    const int dim = threadIdx.x % kSize;
    const int query = blockIdx.x * kQueriesPerBlock + threadIdx.x / kSize;
    const bool active = query < length;
    const size_t head_base = static_cast<size_t>(blockIdx.y) * length * kSize;
    const size_t mask_row = (static_cast<size_t>(blockIdx.y / heads) * length + (active ? query : 0)) * length;
    const float q_dim = active ? q[head_base + query * kSize + dim] * scale : 0.0f;

    float top = -INFINITY;
    float total = 0.0f;
    float sum = 0.0f;
    for (int first = 0; first < length; first += kKeysPerTile) {
        const int count = min(kKeysPerTile, length - first);
        for (int i = threadIdx.x; i < count * kSize; i += kThreads) {
            tile_k[i / kSize][i % kSize] = k[head_base + first * kSize + i];
            tile_v[i / kSize][i % kSize] = v[head_base + first * kSize + i];
        }
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            float score = q_dim * tile_k[j][dim];
            #pragma unroll
            for (int offset = kSize / 2; offset > 0; offset >>= 1) {
                score += __shfl_xor_sync(0xffffffffu, score, offset);
            }
            if (active && mask[mask_row + first + j]) {
                const float new_top = fmaxf(top, score);
                const float shrink = expf(top - new_top);
                const float weight = expf(score - new_top);
                total = total * shrink + weight;
                sum = sum * shrink + weight * tile_v[j][dim];
                top = new_top;
            }
        }
        __syncthreads();
    }
    if (active) {
        out[head_base + query * kSize + dim] = sum / total;
    }
}

torch::Tensor span_attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor mask,
                             double scale) {
    TORCH_CHECK(q.size(3) == kSize, "this kernel is for a head size of 16");
    TORCH_CHECK(mask.size(1) == 1, "one mask for all heads expected");
    q = q.contiguous();
    k = k.contiguous();
    v = v.contiguous();
    mask = mask.contiguous();
    auto out = torch::empty_like(q);
    const int batch = q.size(0), heads = q.size(1), length = q.size(2);
    const dim3 blocks((length + kQueriesPerBlock - 1) / kQueriesPerBlock, batch * heads);
    span_attention_kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), mask.data_ptr<bool>(),
        out.data_ptr<float>(), heads, length, static_cast<float>(scale));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

cpp_source = """
torch::Tensor span_attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor mask,
                             double scale);
"""

ext = load_inline(
    name="span_attention_online",
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
