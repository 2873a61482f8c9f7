"""Calls itself without end."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return self.forward(x)
