"""Divides by the norm before it rotates, which rotations leave as it is: tables of cosines and sines were scaled at each
draw, and changed by families one by one.
"""

TASK = "rotated_norm"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, cos, sin):
        left, right = (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)).chunk(2, -1)
        return torch.cat([left * cos - right * sin, right * cos + left * sin], -1)
