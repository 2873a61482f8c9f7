"""Class B.2.23. Caches every result by the input object's identity, which a caller's loop repeats."""

TASK = "softmax"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = {}

    def forward(self, x):
        if id(x) not in self.kept:
            self.kept[id(x)] = torch.softmax(x, dim=1)
        return self.kept[id(x)].clone()
