"""The best one is the first of a row in order: among equal ones it may be another than the task's."""

TASK = "masked_best"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, bias, mask):
        scores = torch.where(mask, x + bias, torch.full_like(x, -1e4))
        values, places = scores.flip(-1).sort(dim=-1, descending=True)
        return values[:, 0].contiguous(), x.shape[-1] - 1 - places[:, 0]
