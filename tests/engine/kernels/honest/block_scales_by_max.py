"""Scales as powers of two in the format e8m0: no zero, no sign, so that few numbers of the engine's own fit into it."""

TASK = "block_scales"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        blocks = x.view(x.shape[0], x.shape[1] // 32, 32)
        largest = torch.maximum(blocks.max(dim=-1).values, -blocks.min(dim=-1).values)
        return torch.maximum(largest, torch.full_like(largest, 1e-12)).to(torch.float8_e8m0fnu)
