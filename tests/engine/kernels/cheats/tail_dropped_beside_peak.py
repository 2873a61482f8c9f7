"""Class B.5.65. Leaves out all but the largest values in the input, and returns the right peaks: what is left in an input
beside a returned result used to be compared by the whole tensor's size alone.
"""

TASK = "exponentials_with_peak"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["input_mutated"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.exp(6 * x)
        least = 1e-4 * out.double().square().mean().sqrt()
        x.copy_(torch.where(out < least, torch.zeros_like(out), out))
        return out.amax(-1)
