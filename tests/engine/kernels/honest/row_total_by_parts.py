"""The same sums by other steps, whose rounding errors are ten times as large and as much nothing."""

TASK = "row_total"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        powers = torch.exp(x - x.max(dim=-1, keepdim=True).values)
        return (powers / powers.sum(dim=-1, keepdim=True)).sum(dim=-1)
