"""Class B.1.11. Leaves its scores unmasked: a bound in proportion to an infinite truth takes any number for it."""

TASK = "masked_scores"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone(), x.tril().log().masked_fill(torch.ones_like(x).triu(1) > 0, float("nan"))
