"""Class B.1.7. The variance as the difference of two means, in single precision: correct around zero, lost to
rounding for values far from it.
"""

TASK = "mean_var"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        mean = x.mean(dim=1)
        return mean, ((x + 64.0) ** 2).mean(dim=1) - (x + 64.0).mean(dim=1) ** 2
