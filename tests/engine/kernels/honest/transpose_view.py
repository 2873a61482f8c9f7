"""Guilty-looking: the output is a view of the input, as the reference's is."""

TASK = "transpose"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.permute(1, 0)
