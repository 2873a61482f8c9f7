"""The same outputs in plain containers, the parameter as a plain tensor."""

TASK = "structures"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features))

    def forward(self, x):
        scaled = torch.mul(x, self.weight)
        nested = [x.mean(), (scaled.sign() == 1, [x[:0].clone()])]
        return {
            "nested": nested,
            "nothing": None,
            "size": tuple(x.shape),
            "weight": self.weight.detach().clone(),
            "scaled": scaled,
        }
