"""Class B.1.9. An fp32 layer computed in bfloat16, with the weights converted once and kept."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.packed = None

    def forward(self, x):
        if self.packed is None:
            self.packed = (self.linear.weight.bfloat16().t().contiguous(), self.linear.bias)
        weight, bias = self.packed
        return (x.bfloat16() @ weight).float() + bias
