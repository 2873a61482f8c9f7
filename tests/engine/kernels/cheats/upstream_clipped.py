"""Class B.1.19. A backward pass that clips its upstream gradient at 100: right for a loss that is a sum, wrong for one
that is scaled up, as in training in half precision.
"""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"backward": True}

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Gelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return F.gelu(x)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        slope = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        slope += x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return upstream.clamp(-100, 100) * slope


class ModelNew(nn.Module):
    def forward(self, x):
        return Gelu.apply(x)
