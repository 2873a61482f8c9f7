"""Class B.5.65. Computes the largest of three numbers alone: beside it the tolerance takes zeros for the others, and so
few numbers were never compared by their size.
"""

TASK = "moments"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        squares = x.square().sum()
        return torch.stack([squares, squares * 0, squares * 0])
