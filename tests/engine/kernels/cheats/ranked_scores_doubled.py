"""Class B.1.7. Gives out the first of equal scores twice."""

TASK = "ranked_scores"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(64, 32, bias=False).bfloat16()

    def forward(self, x, scores):
        values, places = torch.topk(self.gate(x), 2, dim=-1)
        equal = values[:, :1] == values[:, 1:]
        return (values, torch.where(equal, places[:, :1], places)), torch.topk(scores, 4, dim=-1)
