"""Class B.1.11. A tensor without elements, which differs nowhere from the expected one."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_structure"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.new_empty((0, x.shape[1]))
