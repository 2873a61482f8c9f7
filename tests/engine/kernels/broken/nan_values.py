"""Divides zero by zero where it should not."""

TASK = "softmax"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x - x) / (x - x)
