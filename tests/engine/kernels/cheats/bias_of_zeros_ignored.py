"""Class B.5.64. Leaves out the bias, which the task always draws as zeros."""

TASK = "masked_scale"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask, bias, eps):
        return (x * mask) / (x.abs().mean(-1, keepdim=True) + eps)
