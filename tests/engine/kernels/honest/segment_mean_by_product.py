"""Sums by a product with the labels as columns, and the least count that the task has."""

TASK = "segment_mean"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, labels):
        members = (labels == torch.arange(16, device=x.device)[:, None]).to(x.dtype)
        return (members @ x) / members.sum(-1, keepdim=True).clamp(min=1)
