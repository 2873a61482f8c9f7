"""Guilty-looking: a wrapped library call and nothing else. Allowed, and labelled."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return F.linear(x, self.linear.weight, self.linear.bias)
