"""The mean of squares as one product, whose gradients are as small as the reference's."""

TASK = "small_loss"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        apart = (x - y).view(-1)
        return torch.dot(apart, apart) / (8000 * apart.numel())
