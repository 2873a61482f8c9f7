"""Compaction by a running sum: its outputs' sizes depend on the values."""

TASK = "nonzero"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        above = (x > 0.5).flatten()
        places = above.cumsum(0)[above] - 1
        flat = torch.empty(int(above.sum()), dtype=torch.long, device=x.device)
        flat[places] = torch.arange(above.numel(), device=x.device)[above]
        return torch.stack([flat // x.shape[1], flat % x.shape[1]], dim=1), x.flatten()[flat]
