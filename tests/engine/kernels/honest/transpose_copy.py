"""A copy where the reference gives a view: other strides, the same values."""

TASK = "transpose"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.t().contiguous()
