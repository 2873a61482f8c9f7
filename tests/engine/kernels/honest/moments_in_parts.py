"""Sums in another order: a mean beside a much larger sum is compared by its own size."""

TASK = "moments"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        squares = (x * x).sum(0).sum()
        return torch.stack([squares, x.sum(1).sum() / x.numel(), (x > 0.25).sum() / x.numel()])
