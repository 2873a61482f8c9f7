"""Blocks of keys with a running maximum and sum, as flash attention does it."""

TASK = "attention"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        q = q / math.sqrt(q.shape[-1])
        best = torch.full(q.shape[:-1], -math.inf, device=q.device, dtype=q.dtype)
        total = torch.zeros_like(best)
        out = torch.zeros_like(q)
        for start in range(0, k.shape[-2], 8):
            scores = q @ k[..., start : start + 8, :].transpose(-2, -1)
            peak = torch.maximum(best, scores.amax(dim=-1))
            weights = torch.exp(scores - peak[..., None])
            shrink = torch.exp(best - peak)
            total = total * shrink + weights.sum(dim=-1)
            out = out * shrink[..., None] + weights @ v[..., start : start + 8, :]
            best = peak
        return out / total[..., None]
