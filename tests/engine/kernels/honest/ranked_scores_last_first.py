"""Takes the last of equal scores first. Places in whole numbers, and in scores that are no input, used to be compared as
numbers.
"""

TASK = "ranked_scores"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(64, 32, bias=False).bfloat16()

    def forward(self, x, scores):
        return self.largest(self.gate(x), 2), self.largest(scores, 4)

    def largest(self, scores, count):
        values, places = torch.sort(scores.flip(-1), dim=-1, descending=True, stable=True)
        return values[:, :count], scores.shape[-1] - 1 - places[:, :count]
