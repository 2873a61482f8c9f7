"""Class B.5.64. A complex bias of zeros is left out."""

TASK = "complex_affine"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_ignored"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64, dtype=torch.complex64))
        self.bias = nn.Parameter(torch.zeros(64, dtype=torch.complex64))

    def forward(self, x):
        return x * self.weight
