"""Class B.5.62. Gives a gradient within the values that the task draws alone; families used to be for the forward pass."""

TASK = "gated_sine"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import math

import torch
import torch.nn as nn


class GatedSine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return torch.sin(x) * factor + nn.functional.gelu(x)

    @staticmethod
    def backward(ctx, upstream):
        x, factor = ctx.saved_tensors
        slope = torch.cos(x) * factor
        density = torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        slope = slope + 0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * density
        slope = torch.where(x.abs() < 6, slope, 0)
        return upstream * slope, upstream * torch.sin(x)


class ModelNew(nn.Module):
    def forward(self, x, factor):
        return GatedSine.apply(x, factor)
