"""The mean of rows, then of those."""

TASK = "mean_all"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.mean(dim=1).mean()
