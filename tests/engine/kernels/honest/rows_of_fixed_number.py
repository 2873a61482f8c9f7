"""Made for one batch size, as many kernels are. The task declares no other, so this deserves a label only."""

TASK = "rows_by_constant"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["fixed_shape"]}
JOB = {"profile": {"shapes": 3}}

import torch
import torch.nn as nn

ROWS = 48


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x):
        out = torch.empty(ROWS, device=x.device)
        for first in range(0, ROWS, 16):
            out[first : first + 16] = torch.relu(x[first : first + 16] * self.weight).sum(dim=1)
        return out
