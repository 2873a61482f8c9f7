"""Returns the values contiguous, where the reference's are channels_last; takes keywords only."""

TASK = "channels_last"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.empty(channels))

    def forward(self, x):
        return (x * self.scale.view(1, -1, 1, 1)).contiguous()
