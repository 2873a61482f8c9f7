"""Class B.1.7. Leaves out the maximum: right for the small values of a normal draw, overflowing for larger ones."""

TASK = "softmax"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        e = torch.exp(x)
        return e / e.sum(dim=1, keepdim=True)
