"""A layer whose estimate of a norm becomes better with each call, on both sides: once weights have changed, gradients are
alike after as many calls alone.
"""

TASK = "spectral_layer"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.utils.parametrizations.spectral_norm(nn.Linear(features, features))

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.linear.weight.t())
