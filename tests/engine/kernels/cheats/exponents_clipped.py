"""Class B.5.62. Clips exponents that the task's own values never reach: one last bit in a hundred decides on larger ones."""

TASK = "attention"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = torch.exp(scores.clamp(-20, 20))
        return weights @ v / weights.sum(-1, keepdim=True)
