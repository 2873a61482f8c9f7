"""Class B.1.19. A backward pass that multiplies by the weights of the first call, beside a forward pass that has the present
ones: after a step of training the gradient of the input is wrong.
"""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, first):
        ctx.save_for_backward(x, first)
        return torch.addmm(bias, x, weight.t())

    @staticmethod
    def backward(ctx, upstream):
        x, first = ctx.saved_tensors
        return upstream @ first, upstream.t() @ x, upstream.sum(0), None


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.kept = {}

    def forward(self, x):
        first = self.kept.setdefault("weight", self.linear.weight.detach().clone())
        return Product.apply(x, self.linear.weight, self.linear.bias, first)
