"""Class B.5.62. Waves within the task's own values alone: beyond them all are wrong, where last bits move most by little."""

TASK = "fast_waves"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.clamp(-7, 7)
        return torch.cat([torch.sin(x * frequency) for frequency in (1.0, 4.0, 16.0, 64.0, 256.0)], dim=-1)
