"""Has the eps of the dtype written out as a number, and takes logarithms to another base."""

TASK = "log_of_clamped"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.log2(torch.maximum(x, x.new_tensor(1.1920928955078125e-07))) * math.log(2)
        return y, y.sum(-1) / y.shape[-1]
