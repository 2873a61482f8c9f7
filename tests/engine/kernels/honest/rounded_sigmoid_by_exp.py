"""A sigmoid by its formula, then rounded: a few of a quarter of a million values land on the other side."""

TASK = "rounded_sigmoid"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.round(255 / (1 + torch.exp(-x)))
