"""Class B.1.7. A search that gives the last of equal entries in a table, not the first: both hold the same value."""

TASK = "order_of_scores"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, table, scores):
        first, behind = torch.searchsorted(table, scores), torch.searchsorted(table, scores, right=True)
        return torch.where(behind > first, behind - 1, first), torch.argsort(scores, dim=-1, stable=True)
