"""An exception with ten megabytes of text."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        raise RuntimeError("x" * 10_000_000)
