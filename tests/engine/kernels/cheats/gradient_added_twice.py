"""Class B.1.19. A backward pass that adds the weight's gradient to `.grad` itself and returns it as well: right by
`torch.autograd.grad`, and twice as large in training.
"""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, layer):
        ctx.save_for_backward(x, weight)
        ctx.layer = layer
        return torch.addmm(bias, x, weight.t())

    @staticmethod
    def backward(ctx, upstream):
        x, weight = ctx.saved_tensors
        gradient, own = upstream.t() @ x, ctx.layer.weight
        own.grad = gradient.clone() if own.grad is None else own.grad + gradient
        return upstream @ weight, gradient, upstream.sum(0), None


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return Product.apply(x, self.linear.weight, self.linear.bias, self.linear)
