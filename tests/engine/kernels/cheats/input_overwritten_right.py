"""Class B.1.12. The correct answer, written over the input: a caller that still needs its input loses it, and
the next call on the same buffer finds its work already done.
"""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["input_mutated"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x.clamp_(min=0)
        return x.clone()
