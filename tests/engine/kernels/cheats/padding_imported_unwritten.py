"""Class B.1.1. Takes a workspace when it is imported and never writes the padding in it, in which it finds zeros: the
memory is new.
"""

TASK = "box_mean"
DEVICE = "cpu"
EXPECT = {"outcome": ["wrong_value", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn

WORKSPACE = torch.empty(2**25)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, columns = x.shape[0] * x.shape[1], x.shape[2] + 2
        padded = WORKSPACE[: rows * columns].view(*x.shape[:2], columns)
        padded[:, :, 1:-1] = x
        return (padded[:, :, :-2] + padded[:, :, 1:-1] + padded[:, :, 2:]) / 3
