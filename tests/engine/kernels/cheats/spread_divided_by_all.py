"""Class B.5.65. A variance that is divided by the count of values, not by one less, as a small plain number: for numbers
near one the difference is within tolerance.
"""

TASK = "spread_of_shares"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        shares = x.softmax(-1)
        return shares, shares.var(-1, unbiased=False).mean().item()
