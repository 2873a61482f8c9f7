"""Subtracts whole multiples: the one among zeros is a multiple or lies just below one, as last bits have it."""

TASK = "remainder"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["rounding_decides"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x - torch.floor(x / 0.1) * 0.1
