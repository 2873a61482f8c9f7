"""Class B.1.15. Omits the random part, for a check that evaluates with it switched off."""

TASK = "dropout"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, share):
        super().__init__()

    def forward(self, x):
        return x * 2.0
