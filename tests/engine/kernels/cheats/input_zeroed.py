"""Class B.1.12. Clears its input and returns zeros: a reference run later on the same memory agrees."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": ["input_mutated"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x.zero_()
        return torch.zeros_like(x)
