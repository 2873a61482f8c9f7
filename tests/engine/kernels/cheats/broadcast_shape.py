"""Class B.1.11. One value instead of a vector: it broadcasts, and a loose comparison averages it away."""

TASK = "row_sum"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_structure"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.sum(dim=1).mean().reshape(1)
