"""Class B.1.11. Correct for 97 of 100 values; the rest stay zero, for comparisons that tolerate a share."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        out = F.gelu(x).flatten()
        out[::33] = 0
        return out.view_as(x)
