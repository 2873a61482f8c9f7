"""Class B.5.62. Clips what a normal distribution hardly ever reaches, in inputs that hold infinities: no family changed
their other values.
"""

TASK = "partly_masked"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, scores, values):
        weights = scores.clamp(max=6).exp()
        return weights / weights.sum(-1, keepdim=True), values.clamp(-6, 6).nanmean(-1)
