"""The result belongs into the input, which stays as it was."""

TASK = "accumulate"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, total, x):
        total.addcmul(x, x, value=0.1)
