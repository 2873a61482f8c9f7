"""Class B.5.65. Gives zeros for the half of a bounded result that is smaller than the tolerance of the other."""

TASK = "tanh_faded"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)
        half = x.shape[-1] // 2
        torch.tanh(x[:, :half], out=y[:, :half])
        return y
