"""Guilty-looking: in-place steps, all of them on memory of its own."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        torch.mul(x, 1 / math.sqrt(2), out=out)
        out.erf_().add_(1.0).mul_(0.5).mul_(x)
        return out
