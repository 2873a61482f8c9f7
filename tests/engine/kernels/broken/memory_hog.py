"""Allocates and writes up to 64 GB. A slow host may not reach the limit within the deadline."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["out_of_memory", "runtime_error", "timeout"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        held = []
        for _ in range(256):
            held.append(torch.ones(64 * 1024 * 1024))
        return torch.relu(x) + held[0][0] - 1
