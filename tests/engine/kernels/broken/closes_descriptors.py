"""Closes every file descriptor of its process."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error", "cheated", "infra_error"], "findings": []}

import os

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.closerange(0, 4096)
        return torch.relu(x)
