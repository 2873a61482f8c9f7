"""Raises an ordinary exception."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        raise ValueError("no kernel for this shape")
