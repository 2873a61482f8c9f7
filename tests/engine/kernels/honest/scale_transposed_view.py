"""Guilty-looking: rearranging the output takes many times what the call takes, and a clock outside may not count it."""

TASK = "scale_transposed"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["output_layout"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x * 2.0).t()
