"""Counts the boundaries below each value, which is a binary search only while they are in order."""

TASK = "bins"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, boundaries):
        return (x.unsqueeze(-1) > boundaries).sum(-1)
