"""Class B.5.65. Clamps at another limit: half of all values are wrong, by less than in double precision, whose eps is another."""

TASK = "log_of_clamped"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.log(torch.relu(x).clamp_min(1e-12))
        return y, y.mean(-1)
