"""The root is taken of what is at least a square of the smallest length: its gradient at zero is finite."""

TASK = "rows_of_length_one"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        squares = x.square().sum(-1, keepdim=True)
        return x * squares.clamp_min(1e-24).rsqrt()
