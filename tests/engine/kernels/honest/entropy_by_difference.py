"""Takes the logarithms apart, and relies on rows that sum to one: a family keeps that."""

TASK = "entropy"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, p, q):
        entropy = 1 - (p * (p.log() + 1)).sum(-1)
        return entropy, -(p * q.log()).sum(-1) - entropy
