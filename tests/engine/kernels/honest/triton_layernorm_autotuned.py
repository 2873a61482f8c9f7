"""Guilty-looking: times several configurations at its first call and keeps the fastest."""

TASK = "layernorm"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({}, num_warps=warps) for warps in (1, 2, 4)], key=["width"])
@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < width
    x = tl.load(x_ptr + row * width + columns, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / width
    centred = tl.where(mask, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / width + eps)
    w = tl.load(w_ptr + columns, mask=mask)
    b = tl.load(b_ptr + columns, mask=mask)
    tl.store(out_ptr + row * width + columns, centred * scale * w + b, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        norm, width = self.norm, x.shape[1]
        block = triton.next_power_of_2(width)
        layernorm_kernel[(x.shape[0],)](x, norm.weight, norm.bias, out, width, norm.eps, BLOCK=block)
        return out
