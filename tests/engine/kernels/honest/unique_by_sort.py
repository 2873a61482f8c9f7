"""Sorts and marks where a value changes."""

TASK = "unique"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        ordered = x.sort().values
        new = torch.ones_like(ordered, dtype=torch.bool)
        new[1:] = ordered[1:] != ordered[:-1]
        starts = new.nonzero().flatten()
        ends = torch.cat([starts[1:], starts.new_tensor([x.numel()])])
        return ordered[starts], ends - starts
