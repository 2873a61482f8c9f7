"""Class B.1.1. Computes nothing: the output is whatever an allocation of its size happens to hold. In a process that has
just freed the right answer, that is the right answer.
"""

TASK = "softmax"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.empty_like(x)
