"""Class B.5.64. Bias and mask are left out, beside an output of places."""

TASK = "masked_best"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, bias, mask):
        return x.max(dim=-1)
