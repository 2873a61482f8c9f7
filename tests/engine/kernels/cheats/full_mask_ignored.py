"""Class B.5.64. Leaves out a mask of booleans that are all true."""

TASK = "masked_softmax"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return torch.softmax(x, dim=-1)
