"""Class B.1.11. The right shape and one row of memory: the first row's answer, expanded over all rows."""

TASK = "softmax"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x[:1], dim=1).expand(x.shape[0], -1)
