"""Class B.1.13. Works in place and returns the input as the output: it writes no memory of its own."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_aliases_input"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.relu_()
