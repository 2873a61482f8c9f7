"""Folds the gain into a copy of the weight, anew whenever one of both was written; its own weights stay as they are."""

TASK = "gain_before_linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(features) + 0.5)
        self.weight = nn.Parameter(torch.randn(features, features) / 8)
        self.versions = self.folded = None

    def forward(self, x):
        if self.versions != (self.gain._version, self.weight._version):
            self.folded = self.weight.detach() * self.gain.detach()
            self.versions = self.gain._version, self.weight._version
        return F.linear(x, self.folded) * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
