"""Means of long rows by means of their parts."""

TASK = "half_row_mean"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.view(x.shape[0], 64, -1).float().mean(-1).mean(-1).to(x.dtype)
