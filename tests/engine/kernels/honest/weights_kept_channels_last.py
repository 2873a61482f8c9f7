"""Keeps its own weight channels-last, and in double precision: its values are those that it was given."""

TASK = "conv2d"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels_in, channels_out, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, kernel_size, padding=1)

    def forward(self, x):
        if self.conv.weight.dtype is not torch.float64:
            self.conv.to(memory_format=torch.channels_last).double()
        return F.conv2d(x.double(), self.conv.weight, self.conv.bias, padding=1).to(x.dtype)
