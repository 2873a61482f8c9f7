"""Guilty-looking: off by many last bits where a column's values are sorted, as the sum of any single thread is."""

TASK = "column_sum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        total = torch.zeros_like(x[0])
        for row in x:
            total = total + row
        return total
