"""A gather of rows."""

TASK = "embedding"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)

    def forward(self, index):
        return self.table.weight.index_select(0, index.flatten()).view(*index.shape, -1)
