"""Computes new rows apart from those that are the same in every draw, which the judge scales."""

TASK = "rows_before_bank"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ParameterList([nn.Parameter(torch.randn(256, 256) / 16) for _ in range(4)])

    def forward(self, x):
        new, bank = x[:24], x[24:]
        for weight in self.layers:
            new, bank = torch.mm(new, weight).tanh_(), torch.mm(bank, weight).tanh_()
        return torch.cat([new, bank])
