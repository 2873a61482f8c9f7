"""The result is in the input, one rounding away from the reference's."""

TASK = "accumulate"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, total, x):
        total.add_((x * 0.1) * x)
