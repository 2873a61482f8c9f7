"""Class B.5.65. Leaves out all but the largest values where the result is left in the input: such results used to be
compared by the whole tensor's size alone.
"""

TASK = "exponentials_in_place"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.exp(6 * x)
        least = 1e-4 * out.double().square().mean().sqrt()
        x.copy_(torch.where(out < least, torch.zeros_like(out), out))
