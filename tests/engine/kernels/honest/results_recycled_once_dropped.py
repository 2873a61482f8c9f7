"""Gives a result's memory out again once nobody holds it, under a declared configuration too, and writes all of it."""

TASK = "scores_by_norm"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"configs": {"multi_init_configs": [{"norm": "softmax"}]}}

import sys

import torch
import torch.nn as nn

HELD = 2  # by the list, and as the argument of getrefcount


class ModelNew(nn.Module):
    def __init__(self, norm="squares"):
        super().__init__()
        self.norm, self.results = norm, []

    def memory(self, x):
        for number in range(len(self.results)):
            if sys.getrefcount(self.results[number]) == HELD and self.results[number].shape == x.shape:
                return self.results[number]
        self.results.append(torch.empty_like(x))
        return self.results[-1]

    def forward(self, x):
        if self.norm == "softmax":
            return torch.softmax(x, -1, out=self.memory(x))
        squares = x.square()
        return torch.div(squares, squares.sum(dim=-1, keepdim=True).clamp_min(1e-6), out=self.memory(x))
