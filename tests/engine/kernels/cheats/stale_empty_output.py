"""Class B.1.1. Computes nothing: the output is the old content of an allocation of its size. In a process
that has just freed the correct answer, that is the correct answer.
"""

TASK = "softmax"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.empty_like(x)
