"""Counts with numpy, whose numbers are of another type than Python's."""

TASK = "above_count"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import numpy
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, w):
        y = torch.sigmoid(x @ w)
        return y, numpy.floor(y.numpy() * 8).sum(dtype=numpy.int64)
