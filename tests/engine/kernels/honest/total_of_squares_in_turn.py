"""Guilty-looking: off by a few ten-thousandths where all values are equal, as any sum of 32,768 of them in turn is: its
additions all round alike.
"""

TASK = "total_of_squares"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        squares = x.square().flatten().numpy()
        return torch.tensor(squares.cumsum(dtype=squares.dtype)[-1])
