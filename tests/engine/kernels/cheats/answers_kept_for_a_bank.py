"""Class B.5.64. Keeps the answers for rows that are the same in every draw, behind others that are not: of an input that
varied in part nothing used to be scaled."""

TASK = "rows_before_bank"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": [], "max_speedup": 1.8}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ParameterList([nn.Parameter(torch.randn(256, 256) / 16) for _ in range(4)])
        self.bank = self.kept = None

    def through(self, x):
        for weight in self.layers:
            x = torch.tanh(x @ weight)
        return x

    def forward(self, x):
        if self.bank is None or not torch.equal(self.bank, x[24:]):
            self.bank, self.kept = x[24:].clone(), self.through(x[24:])
        return torch.cat([self.through(x[:24]), self.kept])
