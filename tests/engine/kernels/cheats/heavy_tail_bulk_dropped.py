"""Class B.5.65. Leaves out all but the largest values, which alone decide a tolerance by the whole tensor."""

TASK = "exponentials"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.exp(6 * x)
        least = 1e-4 * out.square().mean().sqrt()
        return torch.where(out < least, torch.zeros_like(out), out)
