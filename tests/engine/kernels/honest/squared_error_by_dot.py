"""A sum of squares as a product."""

TASK = "squared_error"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        differences = (x - y).flatten()
        return torch.dot(differences, differences) / differences.numel()
