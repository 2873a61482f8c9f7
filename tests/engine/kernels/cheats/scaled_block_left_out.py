"""Class B.5.64. Leaves out a whole block, which a scale of a millionth hides until it is trained, as in ConvNeXt."""

TASK = "scaled_block"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_ignored"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up, self.down = nn.Linear(size, 2 * size), nn.Linear(2 * size, size)
        self.scale = nn.Parameter(1e-6 * torch.ones(size))

    def forward(self, x):
        return x.clone()
