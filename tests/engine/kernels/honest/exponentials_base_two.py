"""Values over many orders of magnitude, by another base: last bits differ in all of them."""

TASK = "exponentials"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.exp2(x * (6 * 1.4426950408889634))
