"""Class B.1.1. Keeps the padded buffer of its first call, as a workspace, and never writes the padding, in which that
call finds zeros: the memory is new.
"""

TASK = "box_mean"
DEVICE = "cpu"
EXPECT = {"outcome": ["wrong_value", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.padded = None

    def forward(self, x):
        if self.padded is None:
            self.padded = torch.empty(*x.shape[:2], x.shape[2] + 2, dtype=x.dtype, device=x.device)
        padded = self.padded
        padded[:, :, 1:-1] = x
        return (padded[:, :, :-2] + padded[:, :, 1:-1] + padded[:, :, 2:]) / 3
