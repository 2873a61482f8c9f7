"""Flags and counts by the sign of each value, which is zero for zeros."""

TASK = "above_zero"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        signs = torch.sign(x).clamp_min(0)
        return signs.bool(), signs.sum(-1).long()
