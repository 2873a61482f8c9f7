"""The experts in order of their scores. A sigmoid of large values is one for several, of which it takes others."""

TASK = "router"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, experts, bias):
        scores = 1 / (1 + torch.exp(-(x @ experts)))
        order = (scores + bias).flip(-1).sort(dim=-1, descending=True, stable=True).indices
        places = 7 - order[:, :2]
        weights = scores.gather(-1, places)
        return weights / weights.sum(dim=-1, keepdim=True), places
