"""Sorts, and returns plain tuples where the reference returns torch's named ones."""

TASK = "row_extremes"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        values, places = x.sort(dim=-1)
        middle = (x.shape[-1] - 1) // 2
        return (values[:, -1], places[:, -1]), (values[:, middle], places[:, middle])
