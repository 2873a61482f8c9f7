"""Class B.1.19. The input has a gradient only if the weights need one too: nothing before a frozen layer learns."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return torch.addmm(bias, x, weight.t())

    @staticmethod
    def backward(ctx, upstream):
        if not ctx.needs_input_grad[1]:
            return None, None, None
        x, weight = ctx.saved_tensors
        return upstream @ weight, upstream.t() @ x, upstream.sum(0)


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return Product.apply(x, self.linear.weight, self.linear.bias)
