"""Class B.1.7. Knows no zero: last bits of a mean size, which zeros have none of, used to explain that among whole numbers."""

TASK = "signs_of_three"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, 1.0, -1.0)
