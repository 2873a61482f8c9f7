"""One block per query, scores in shared memory."""

TASK = "attention"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void attention_kernel(const float* q, const float* k, const float* v, float* out, int t, int d, float scale) {
  extern __shared__ float score[];
  int head = blockIdx.y, row = blockIdx.x;
  q += (head * t + row) * d; k += head * t * d; v += head * t * d; out += (head * t + row) * d;
  for (int j = threadIdx.x; j < t; j += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < d; ++c) sum += q[c] * k[j * d + c];
    score[j] = sum * scale;
  }
  __syncthreads();
  float best = -INFINITY, total = 0;
  for (int j = 0; j < t; ++j) best = fmaxf(best, score[j]);
  for (int j = 0; j < t; ++j) total += expf(score[j] - best);
  for (int c = threadIdx.x; c < d; c += blockDim.x) {
    float sum = 0;
    for (int j = 0; j < t; ++j) sum += expf(score[j] - best) * v[j * d + c];
    out[c] = sum / total;
  }
}
torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  int heads = q.size(0) * q.size(1), t = q.size(2), d = q.size(3);
  auto out = torch::empty_like(q);
  attention_kernel<<<dim3(t, heads), 32, t * sizeof(float)>>>(q.data_ptr<float>(), k.data_ptr<float>(),
      v.data_ptr<float>(), out.data_ptr<float>(), t, d, 1.0f / sqrtf(float(d)));
  return out;
}
"""
extension = load_inline(
    name="cuda_attention",
    cpp_sources="torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v);",
    cuda_sources=CUDA,
    functions=["attention"],
)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return extension.attention(q.contiguous(), k.contiguous(), v.contiguous())
