"""Guilty-looking: an except clause that never runs."""

TASK = "mlp"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["try_fallback"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)
        self.down = nn.Linear(hidden, features)

    def fused(self, x):
        hidden = torch.addmm(self.up.bias, x, self.up.weight.t()).clamp_(min=0)
        return torch.addmm(self.down.bias, hidden, self.down.weight.t())

    def forward(self, x):
        try:
            return self.fused(x)
        except RuntimeError:
            return self.down(torch.relu(self.up(x)))
