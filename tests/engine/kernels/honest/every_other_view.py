"""Guilty-looking: the output is a view with holes, which takes no time to make and long to copy."""

TASK = "every_other"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["output_aliases_input"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x[:, ::2]
