"""Adds both masks, integers and infinities, and takes one product."""

TASK = "masked_pool"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask, bias):
        scores = (x.sum(-1) / 4)[:, None] + torch.stack([(mask == 0) * -1e30, bias], 1)
        return torch.bmm(scores.softmax(-1), x).unbind(1)
