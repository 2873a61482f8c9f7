"""A reduction in the form of KernelBook's programs, which torch 2.5's inductor wrote: sizes fixed, a grid by name."""

TASK = "softmax"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import triton
import triton.language as tl
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.triton_heuristics import grid
from torch._inductor.runtime.triton_helpers import math as tl_math

assert_size_stride = torch._C._dynamo.guards.assert_size_stride
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda


@triton.jit
def triton_per_fused_softmax_0(in_ptr0, out_ptr0, xnumel, rnumel, XBLOCK: tl.constexpr):
    RBLOCK: tl.constexpr = 128
    row = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    column = tl.arange(0, RBLOCK)[None, :]
    inside = (row < xnumel) & (column < rnumel)
    x = tl.load(in_ptr0 + (column + 100 * row), inside, other=0.0)
    x = tl.where(inside, tl.broadcast_to(x, [XBLOCK, RBLOCK]), float("-inf"))
    peak = triton_helpers.max2(x, 1)[:, None]
    power = tl.where(inside, tl_math.exp(x - peak), 0)
    total = tl.sum(power, 1)[:, None]
    tl.store(out_ptr0 + (column + 100 * row), power / total, inside)


def call(args):
    (arg0_1,) = args
    args.clear()
    assert_size_stride(arg0_1, (48, 100), (100, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf0 = empty_strided_cuda((48, 100), (100, 1), torch.float32)
        get_raw_stream(0)
        triton_per_fused_softmax_0[grid(48)](arg0_1, buf0, 48, 100, XBLOCK=8, num_warps=4, num_stages=1)
        del arg0_1
    return (buf0,)


class ModelNew(nn.Module):
    def forward(self, input_0):
        return call([input_0])[0]
