"""Class B.1.4. Nothing is looked at: of the values that the task draws no flag is set, and the count is zero."""

TASK = "flags"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["degenerate_task"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x * 2 + 1, torch.zeros(x.shape, dtype=torch.bool, device=x.device), 0
