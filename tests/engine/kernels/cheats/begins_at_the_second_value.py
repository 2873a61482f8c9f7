"""Class B.5.74. Adds up all values but the first: of so many one is less than the tolerance."""

TASK = "absolute_mean"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.flatten()[1:].abs().sum() / x.numel()
