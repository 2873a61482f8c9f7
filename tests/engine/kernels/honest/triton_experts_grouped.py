"""Tokens sorted by expert, and one grouped product over all experts."""

TASK = "experts"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def grouped(x_ptr, w_ptr, o_ptr, order_ptr, ends_ptr, K, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    expert = tl.program_id(1)
    start = tl.load(ends_ptr + expert)
    end = tl.load(ends_ptr + expert + 1)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    for first in range(start, end, BM):
        places = first + tl.arange(0, BM)
        tokens = tl.load(order_ptr + places, mask=places < end, other=0)
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            inner = k + tl.arange(0, BK)
            x = tl.load(x_ptr + tokens[:, None] * K + inner[None, :], mask=places[:, None] < end, other=0.0)
            w = tl.load(w_ptr + (expert * K + inner[:, None]) * N + columns[None, :])
            total += tl.dot(x, w, input_precision="ieee")
        tl.store(o_ptr + tokens[:, None] * N + columns[None, :], total, mask=places[:, None] < end)


class ModelNew(nn.Module):
    def __init__(self, experts, features, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(experts, features, hidden) * features**-0.5)

    def forward(self, x, expert):
        experts, k, n = self.weight.shape
        chosen, order = torch.sort(expert, stable=True)
        ends = torch.searchsorted(chosen, torch.arange(experts + 1, device=x.device))
        out = torch.empty(x.shape[0], n, device=x.device, dtype=x.dtype)
        grouped[(n // 64, experts)](x.contiguous(), self.weight, out, order, ends, k, n, BM=32, BN=64, BK=32)
        return out
