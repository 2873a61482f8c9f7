"""Integers exactly, in double precision."""

TASK = "int8_linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, weight, scale):
        return (x.double() @ weight.double().t()).float() * scale
