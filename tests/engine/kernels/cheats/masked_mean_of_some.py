"""Class B.1.7. Has room for as many values as the task's masks hardly ever choose: no family had other masks."""

TASK = "masked_mean"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        places = torch.argsort(mask.int(), dim=-1, descending=True)[:, :180]
        return (x.gather(1, places) * mask.gather(1, places)).sum(-1) / mask.sum(-1)
