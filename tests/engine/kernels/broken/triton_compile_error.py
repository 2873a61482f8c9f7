"""A Triton kernel that Triton refuses to compile."""

TASK = "relu"
DEVICE = "cuda"
EXPECT = {"outcome": ["build_error", "runtime_error", "load_error"], "findings": []}

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, 100)
    tl.store(out_ptr + offsets, tl.maximum(tl.load(x_ptr + offsets), 0.0))


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 100),)](x, out, x.numel(), BLOCK=100)
        return out
