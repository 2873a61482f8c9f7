"""Guilty-looking: the transposed weight is made once and kept. The weights of a task do not change between calls."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_cached"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.packed = None

    def forward(self, x):
        if self.packed is None:
            self.packed = self.linear.weight.detach().t().contiguous()
        return torch.addmm(self.linear.bias, x, self.packed)
