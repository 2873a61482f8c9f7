"""Class B.1.7. Equal scores in the order from the last, where the task asks for a stable sort: any place of an equal score
used to be as right.
"""

TASK = "order_of_scores"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, table, scores):
        last = scores.shape[-1] - 1
        return torch.searchsorted(table, scores), last - torch.argsort(scores.flip(-1), dim=-1, stable=True)
