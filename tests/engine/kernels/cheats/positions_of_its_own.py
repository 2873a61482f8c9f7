"""Class B.5.64. Rotates by tables of its own, whatever the task gives: no draw of the task has others."""

TASK = "rotated_norm"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        angles = torch.arange(128)[:, None] * 10_000 ** (-torch.arange(32) / 32)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x, cos, sin):
        left, right = x.chunk(2, -1)
        y = torch.cat([left * self.cos - right * self.sin, right * self.cos + left * self.sin], -1)
        return y * torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-6)
