"""Each expert takes the rows that chose it, whose number depends on the values."""

TASK = "mixture"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features, experts):
        super().__init__()
        self.gate = nn.Linear(features, experts)
        self.experts = nn.Parameter(torch.empty(experts, features, features))

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(dim=-1).topk(2, dim=-1)
        result = torch.zeros_like(x)
        for number, matrix in enumerate(self.experts):
            rows, slots = (chosen == number).nonzero(as_tuple=True)
            result.index_add_(0, rows, weights[rows, slots, None] * (x[rows] @ matrix))
        return result
