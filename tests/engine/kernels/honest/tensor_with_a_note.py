"""Guilty-looking: the output carries an attribute, as torch.compile and others leave them."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        y = F.gelu(x)
        y._approximation = "none"
        return y
