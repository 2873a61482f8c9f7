"""Class B.1.12. Makes its gradient in the upstream gradient's memory: where another branch was given the same one, as in
`model(x) + x`, that branch's gradient is wrong.
"""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["input_mutated"]}
JOB = {"backward": True}

import torch
import torch.nn as nn


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, upstream):
        x, weight = ctx.saved_tensors
        upstream = upstream.contiguous()
        gradients = upstream @ weight, upstream.t() @ x, upstream.sum(dim=0)
        upstream.zero_()
        return gradients


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return Product.apply(x, self.linear.weight, self.linear.bias)
