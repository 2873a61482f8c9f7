"""Draws like the task: the same seed gives the same values. In training alone, which is the mode of the task."""

TASK = "dropout"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["mode_ignored"]}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, x):
        return F.dropout(x, self.share, training=True) * 2.0
