"""Keeps a size among its weights, as its task does: the task was called invalid, because it fails with another one."""

TASK = "grouped_mean"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("groups", torch.tensor(4.0))

    def forward(self, x):
        groups = int(self.groups.item())
        return x.reshape(x.shape[0], groups, -1).sum(-1) * (groups / x.shape[1])
