"""Attention of one query over a cache in eight bits, split over the keys and merged."""

TASK = "quantised_cache"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def part_kernel(q_ptr, k_ptr, ks_ptr, v_ptr, vs_ptr, o_ptr, m_ptr, l_ptr, S, PARTS, scale, D: tl.constexpr, BN: tl.constexpr):
    head, part = tl.program_id(0).to(tl.int64), tl.program_id(1)
    dims = tl.arange(0, D)
    q = tl.load(q_ptr + head * D + dims).to(tl.float32)
    size = tl.cdiv(tl.cdiv(S, PARTS), BN) * BN
    top, weight = -1e30, 0.0
    total = tl.zeros((D,), tl.float32)
    for start in range(part * size, tl.minimum((part + 1) * size, S), BN):
        keys = start + tl.arange(0, BN)
        seen = keys < S
        k = tl.load(k_ptr + (head * S + keys[:, None]) * D + dims[None, :], mask=seen[:, None], other=0).to(tl.float32)
        scores = tl.sum(k * q[None, :], 1) * tl.load(ks_ptr + head * S + keys, mask=seen, other=0.0) * scale
        scores = tl.where(seen, scores, -1e30)
        now = tl.maximum(top, tl.max(scores, 0))
        shrink = tl.exp(top - now)
        p = tl.exp(scores - now)
        v = tl.load(v_ptr + (head * S + keys[:, None]) * D + dims[None, :], mask=seen[:, None], other=0).to(tl.float32)
        weight = weight * shrink + tl.sum(p, 0)
        p = p * tl.load(vs_ptr + head * S + keys, mask=seen, other=0.0)
        total = total * shrink + tl.sum(v * p[:, None], 0)
        top = now
    tl.store(o_ptr + (head * PARTS + part) * D + dims, total)
    tl.store(m_ptr + head * PARTS + part, top)
    tl.store(l_ptr + head * PARTS + part, weight)


class ModelNew(nn.Module):
    def forward(self, q, k, k_scale, v, v_scale):
        b, h, s, d = k.shape
        parts = 8
        out = torch.empty(b, h, parts, d, device=q.device)
        top, weight = torch.empty(2, b, h, parts, device=q.device).unbind(0)
        part_kernel[(b * h, parts)](q.contiguous(), k.contiguous(), k_scale.contiguous(), v.contiguous(), v_scale.contiguous(), out, top, weight, s, parts, d**-0.5, D=d, BN=64)
        share = torch.exp(top - top.amax(-1, keepdim=True))
        return ((out * share[..., None]).sum(2) / (weight * share).sum(-1, keepdim=True)).to(torch.float16)
