"""The backward pass of a norm by hand, on an upstream gradient that it makes contiguous first. Under one value for all
elements the gradient of its input is what rounding leaves: such values are not asked for.
"""

TASK = "layernorm_default"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        scale = torch.rsqrt(variance + eps)
        plain = (x - mean) * scale
        ctx.save_for_backward(plain, weight, scale)
        return torch.addcmul(bias, plain, weight)

    @staticmethod
    def backward(ctx, upstream):
        plain, weight, scale = ctx.saved_tensors
        upstream = upstream.contiguous()
        part = upstream * weight
        along = (part * plain).mean(dim=-1, keepdim=True)
        of_input = (part - part.mean(dim=-1, keepdim=True) - plain * along) * scale
        return of_input, (upstream * plain).sum(dim=0), upstream.sum(dim=0), None


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return Norm.apply(x, self.norm.weight, self.norm.bias, self.norm.eps)
