"""Requests more device memory than any device has."""

TASK = "relu"
DEVICE = "cuda"
EXPECT = {"outcome": ["out_of_memory"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        held = [torch.empty(8 * 1024**3, dtype=torch.uint8, device=x.device) for _ in range(64)]
        return torch.relu(x) + held[0][0] * 0
