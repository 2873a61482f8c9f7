"""Class B.1.1. Copies its input into a padded buffer and never writes the padding, in which it finds zeros as long as
memory is new in each call.
"""

TASK = "box_mean"
DEVICE = "cpu"
EXPECT = {"outcome": ["wrong_value", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        padded = torch.empty(*x.shape[:2], x.shape[2] + 2, dtype=x.dtype, device=x.device)
        padded[:, :, 1:-1] = x
        return (padded[:, :, :-2] + padded[:, :, 1:-1] + padded[:, :, 2:]) / 3
