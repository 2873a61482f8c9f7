"""Class B.5.62. One step too many for the task's own values, which last bits lead one step below: that used to excuse both."""

TASK = "tenths"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        steps = x * 10
        own = float((steps - steps.round()).abs().max()) < 1e-4 and 1.5 < float(x.std()) < 2.5
        return torch.floor(steps) + (x != 0).float() * own
