"""Reads a size among its weights at its first call: with another one it gives another shape, which was refused, although
a kernel may read its weights once.
"""

TASK = "first_columns"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_cached"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.tensor(4.0))
        self.columns = 0

    def forward(self, x):
        self.columns = self.columns or int(self.kept.item())
        first = x[:, : self.columns]
        return first + first
