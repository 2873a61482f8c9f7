"""Relies on the order of its rows, on numbers above zero and on whole numbers. Families used to break all three."""

TASK = "domains"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, ranked, spread, labels):
        counts = torch.stack([(labels == label).float().sum(1) for label in range(10)], 1)
        return torch.exp(ranked - ranked[:, :1]).sum(-1), spread * torch.rsqrt(spread), counts
