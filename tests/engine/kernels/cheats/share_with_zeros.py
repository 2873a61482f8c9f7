"""Class B.1.7. Counts zeros as positive, among whole numbers: in a result of one number, last bits of zeros used to make
it right.
"""

TASK = "share_above_zero"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x >= 0).float().mean()
