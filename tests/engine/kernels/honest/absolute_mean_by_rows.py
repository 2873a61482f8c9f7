"""Adds up rows, and then their sums."""

TASK = "absolute_mean"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.abs().sum(1).sum() / x.numel()
