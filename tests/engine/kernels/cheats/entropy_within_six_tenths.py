"""Class B.5.62. Clips probabilities that the task hardly ever draws: no family changed rows that sum to one."""

TASK = "entropy"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, p, q):
        p, q = p.clamp(max=0.6), q.clamp(max=0.6)
        return -(p * p.log()).sum(-1), (p * (p / q).log()).sum(-1)
