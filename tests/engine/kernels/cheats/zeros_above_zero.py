"""Class B.1.7. Flags and counts of what is above zero that take zeros for it: no family with zeros used to be tried where
results are integers.
"""

TASK = "above_zero"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x >= 0, (x >= 0).sum(-1)
