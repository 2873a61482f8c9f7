"""Class B.5.64. Leaves out a number that is always the same, and too small to matter."""

TASK = "masked_scale"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask, bias, eps):
        return (x * mask + bias) / x.abs().mean(-1, keepdim=True).clamp_min(1e-30)
