"""Class B.5.62. Right within the values that the task draws alone. Infinities of a mask used to be taken for an overflow, so that
no family was tried.
"""

TASK = "masked_values"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, seen):
        near = x.clamp(-8, 8)
        return torch.where(seen, near * 0.5 + torch.tanh(near), float("-inf"))
