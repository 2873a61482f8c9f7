"""Class B.5.64. Takes the name of a reduction, as its task does, and knows one alone: no draw has another."""

TASK = "reduced_by_name"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["inputs_constant"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y, reduction):
        return (x - y).square().mean()
