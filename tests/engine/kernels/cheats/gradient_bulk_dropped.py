"""Class B.5.65. Gives no gradient but in rows where it is large: their size used to decide the tolerance of all."""

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
        slope = torch.where(factor.abs() > 2, slope, 0)
        return upstream * slope, upstream * torch.sin(x)


class ModelNew(nn.Module):
    def forward(self, x, factor):
        return GatedSine.apply(x, factor)
