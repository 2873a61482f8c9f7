"""Programs that contain CUDA in every way that models write it."""

REDUCE = '''import torch
from torch.utils.cpp_extension import load_inline

TILE = 16
BLOCK = TILE * TILE

source = f"""
#include <torch/extension.h>
#define WIDTH {TILE}

__device__ __forceinline__ float twice(float v) {{ return 2.0f * v; }}

__global__ void __launch_bounds__({BLOCK}) scale_rows(const float* __restrict__ x, float* y, int n) {{
  __shared__ float tile[WIDTH][WIDTH + 1];
  extern __shared__ float rest[];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{
    y[i] = twice(x[i]);  // __syncthreads() only in a comment
  }}
  atomicAdd(&y[0], __shfl_down_sync(0xffffffff, y[0], 16));
}}

torch::Tensor scale(torch::Tensor x) {{
  const int threads = 8 * 32;
  dim3 blocks(WIDTH, 2);
  scale_rows<<<blocks, threads, 64 * sizeof(float)>>>(x.data_ptr<float>(), x.data_ptr<float>(), x.numel());
  return x;
}}
"""

module = load_inline(name="m", cuda_sources=source, cpp_sources="torch::Tensor scale(torch::Tensor x);")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return module.scale(x)
'''

TRITON = """import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0)
    for i in range(at, n, tl.num_programs(0)):
        tl.atomic_add(y_ptr + i, tl.load(x_ptr + i))


class ModelNew:
    def forward(self, x):
        add_kernel[(64,)](x, x, 9, BLOCK=BLOCK, num_warps=4)
        return x
"""


def cuda(body: str, launch: str = "k<<<4, 256>>>(x, y, n);", head: str = "") -> str:
    """Return a kernel `k` over x, y and n with this body, launched from the host."""
    return (
        f'source = r"""\n#include <a.h>\n{head}\n__global__ void k(const float* x, float* y, int n) {{\n{body}\n}}\n'
        f'void go(float* x, float* y, int n) {{ {launch} }}\n"""\nload_inline(cuda_sources=source)\n'
    )
