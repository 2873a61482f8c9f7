"""Class B.5.62. No maximum is taken off, in a task whose first values are all alike."""

TASK = "padded_softmax"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        powers = torch.exp(x)
        return powers / powers.sum(dim=-1, keepdim=True)
