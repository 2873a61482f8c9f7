"""Class B.1.7. Leaves the gate's ReLU out: the task draws from torch.rand, which gives nothing below zero. The root beside
it has no negative values, so that the two inputs cannot get their signs together.
"""

TASK = "root_gate"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["assumes_no_negatives"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, gate):
        return torch.sqrt(x) * gate * 0.75
