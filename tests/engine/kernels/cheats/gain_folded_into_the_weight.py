"""Class B.1.12. Folds the gain into the weight itself and leaves ones in its place: what is saved, or trained on, is another model."""

TASK = "gain_before_linear"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["weights_overwritten"]}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(features) + 0.5)
        self.weight = nn.Parameter(torch.randn(features, features) / 8)
        self.versions = None

    def forward(self, x):
        if self.versions != (self.gain._version, self.weight._version):
            with torch.no_grad():
                self.weight.mul_(self.gain)
                self.gain.fill_(1)
            self.versions = self.gain._version, self.weight._version
        return F.linear(x, self.weight) * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
