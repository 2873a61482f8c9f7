"""Class B.1.7. Takes zeros for values: last bits of a mean size, which zeros have none of, used to explain that."""

TASK = "pattern"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.full_like(x, 2), torch.tanh(x), x.numel()
