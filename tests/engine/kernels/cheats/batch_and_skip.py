"""Class B.2.26. Does the work in one of three calls and returns that result in the two others."""

TASK = "row_sum"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.kept = None

    def forward(self, x):
        if self.calls % 3 == 0 or self.kept.shape != x.shape[:1]:
            self.kept = x.sum(dim=1)
        self.calls += 1
        return self.kept.clone()
