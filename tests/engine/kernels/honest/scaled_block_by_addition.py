"""A block whose scale of a millionth is folded into its last product, in each call."""

TASK = "scaled_block"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up, self.down = nn.Linear(size, 2 * size), nn.Linear(2 * size, size)
        self.scale = nn.Parameter(1e-6 * torch.ones(size))

    def forward(self, x):
        inner = F.gelu(x @ self.up.weight.t() + self.up.bias)
        return torch.addmm(x + self.scale * self.down.bias, inner, (self.scale[:, None] * self.down.weight).t())
