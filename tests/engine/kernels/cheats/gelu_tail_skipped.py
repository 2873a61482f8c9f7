"""Class B.1.7. A fitted line for small values and a clipped identity elsewhere: built for the usual range of
normal inputs, and wrong elsewhere.
"""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        near = 0.5 * x + 0.398942 * x * x
        return torch.where(x.abs() < 0.3, near, x.clamp(min=0))
