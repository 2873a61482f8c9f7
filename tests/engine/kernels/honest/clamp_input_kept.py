"""The reference overwrites its input; this one leaves it alone."""

TASK = "clamp_in_place"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp(min=0) * 2
