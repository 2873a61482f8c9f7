"""bf16; copies where the reference returns views."""

TASK = "halves"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        left, right = (half.contiguous() for half in x.tensor_split(2, dim=-1))
        return right.sigmoid().mul_(left), (left, right)
