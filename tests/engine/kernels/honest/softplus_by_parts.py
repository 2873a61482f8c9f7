"""Does not overflow where the reference does: infinities of a family that was finite in its trial used to refuse it."""

TASK = "softplus"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x = x * 0.75
        return x.clamp_min(0) + torch.log1p(torch.exp(-x.abs()))
