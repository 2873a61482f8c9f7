"""Class B.5.64. Leaves the mask out, which the task never draws with anything but ones."""

TASK = "masked_scale"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask, bias, eps):
        return (x + bias) / (x.abs().mean(-1, keepdim=True) + eps)
