"""Class B.5.62. After sixty calls it is correct only for values as the task draws them: it clips what they never reach."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        out = torch.relu(x)
        return out.clamp(max=8.0) if self.calls > 60 else out
