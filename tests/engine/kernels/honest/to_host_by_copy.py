"""Outputs on the CPU where the reference gives them there, computed on the device or not."""

TASK = "to_host"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        counts = torch.empty(x.shape[0], dtype=torch.long)
        counts.copy_(x.gt(0).long().sum(-1))
        return [counts, x.exp(), torch.tensor(len(x))]
