"""A norm with its forward and backward pass, whose gradients are added by atomics."""

TASK = "rms_norm"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm_forward(x_ptr, w_ptr, o_ptr, r_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + at, mask=at < N, other=0.0)
    r = tl.rsqrt(tl.sum(x * x, 0) / N + 1e-6)
    tl.store(r_ptr + row, r)
    tl.store(o_ptr + row * N + at, x * r * tl.load(w_ptr + at, mask=at < N, other=0.0), mask=at < N)


@triton.jit
def norm_backward(x_ptr, w_ptr, r_ptr, g_ptr, dx_ptr, dw_ptr, M, N, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    w = tl.load(w_ptr + at, mask=at < N, other=0.0)
    dw = tl.zeros((BLOCK,), tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x = tl.load(x_ptr + row * N + at, mask=at < N, other=0.0)
        g = tl.load(g_ptr + row * N + at, mask=at < N, other=0.0)
        r = tl.load(r_ptr + row)
        dw += g * x * r
        gw = g * w
        dx = r * gw - x * (r * r * r * tl.sum(gw * x, 0) / N)
        tl.store(dx_ptr + row * N + at, dx, mask=at < N)
    tl.atomic_add(dw_ptr + at, dw, mask=at < N)


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        x = x.contiguous()
        n = x.shape[-1]
        out, r = torch.empty_like(x), torch.empty(x.numel() // n, device=x.device)
        norm_forward[(r.numel(),)](x, w, out, r, n, BLOCK=triton.next_power_of_2(n))
        ctx.save_for_backward(x, w, r)
        return out

    @staticmethod
    def backward(ctx, g):
        x, w, r = ctx.saved_tensors
        n = x.shape[-1]
        dx, dw = torch.empty_like(x), torch.zeros_like(w)
        norm_backward[(264,)](x, w, r, g.contiguous(), dx, dw, r.numel(), n, BLOCK=triton.next_power_of_2(n))
        return dx, dw


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x):
        return Norm.apply(x, self.weight)
