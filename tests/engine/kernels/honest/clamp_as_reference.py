"""The reference overwrites its input, and so does this one."""

TASK = "clamp_in_place"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x.relu_()
        return x + x
