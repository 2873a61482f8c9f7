"""Counts what lies beyond limits after another order of sums: a plain number that last bits decide was refused, where
the same number in a tensor is not.
"""

TASK = "above_count"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, w):
        product = x[:, :32] @ w[:32] + x[:, 32:] @ w[32:]
        y = 1 / (1 + torch.exp(-product))
        return y, int((y * 8).floor().sum())
