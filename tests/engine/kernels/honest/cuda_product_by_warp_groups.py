"""Products of warp groups (wgmma) in inline PTX."""

TASK = "product_bf16"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <cuda_runtime.h>
#include <cuda_bf16.h>
// Shared tiles without swizzle: core matrices of 8 rows by 16 bytes, contiguous (128 bytes each). Tile: 64 rows by 64
// columns of K; core (i, j), i = row / 8, j = column / 8, at ((j * 8) + i) * 128 bytes: 128 bytes to the next core in the
// direction of rows (stride), 1024 bytes in that of K (leading).
__device__ inline unsigned long long descriptor(const void* p) {
  unsigned long long address = (unsigned)__cvta_generic_to_shared(p);
  return ((address & 0x3FFFF) >> 4) | ((unsigned long long)(1024 >> 4) << 16) | ((unsigned long long)(128 >> 4) << 32);
}
__global__ void wgmma_kernel(const __nv_bfloat16* a, const __nv_bfloat16* bt, __nv_bfloat16* c, int M, int N, int K) {
  __shared__ alignas(128) __nv_bfloat16 as[64 * 64], bs[64 * 64];
  int t = threadIdx.x, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = t; i < 64 * 8; i += 128) {
      int row = i / 8, j = i % 8;
      int place = (j * 8 + row / 8) * 64 + (row % 8) * 8;
      *reinterpret_cast<uint4*>(as + place) = *reinterpret_cast<const uint4*>(a + (long long)(row0 + row) * K + k0 + j * 8);
      *reinterpret_cast<uint4*>(bs + place) = *reinterpret_cast<const uint4*>(bt + (long long)(column0 + row) * K + k0 + j * 8);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < 4; ++k) {
      unsigned long long da = descriptor(as + k * 2 * 512), db = descriptor(bs + k * 2 * 512);
      asm volatile(
          "{ wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
          "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
          "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0; }"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
            "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
            "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
            "+f"(d[31])
          : "l"(da), "l"(db));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  int warp = t / 32, lane = t % 32;
  for (int i = 0; i < 8; ++i) {
    for (int half = 0; half < 2; ++half) {
      int row = row0 + warp * 16 + half * 8 + lane / 4, column = column0 + i * 8 + (lane % 4) * 2;
      c[(long long)row * N + column] = __float2bfloat16(d[i * 4 + half * 2]);
      c[(long long)row * N + column + 1] = __float2bfloat16(d[i * 4 + half * 2 + 1]);
    }
  }
}
torch::Tensor hand_wgmma(torch::Tensor a, torch::Tensor b) {
  int M = a.size(0), K = a.size(1), N = b.size(0);
  auto c = torch::empty({M, N}, a.options());
  wgmma_kernel<<<dim3(N / 64, M / 64), 128>>>((const __nv_bfloat16*)a.data_ptr(), (const __nv_bfloat16*)b.data_ptr(),
                                               (__nv_bfloat16*)c.data_ptr(), M, N, K);
  return c;
}
"""
extension = load_inline(
    name="hand_wgmma", cpp_sources="torch::Tensor hand_wgmma(torch::Tensor a, torch::Tensor b);", cuda_sources=CUDA,
    functions=['hand_wgmma'], extra_cuda_cflags=["-gencode=arch=compute_90a,code=sm_90a"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        if any(size % 64 for size in (*a.shape, b.shape[1])):
            return a @ b
        return extension.hand_wgmma(a.contiguous(), b.t().contiguous())
