"""Class B.1.13. Every backward pass returns its gradients in the same memory, where the next one overwrites them."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_reused"]}
JOB = {"backward": True}

import torch
import torch.nn as nn


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, buffers):
        ctx.save_for_backward(x, weight)
        ctx.buffers = buffers
        return torch.addmm(bias, x, weight.t())

    @staticmethod
    def backward(ctx, upstream):
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.buffers
        torch.mm(upstream, weight, out=of_x)
        torch.mm(upstream.t(), x, out=of_weight)
        torch.sum(upstream, 0, out=of_bias)
        return of_x, of_weight, of_bias, None


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.buffers = None

    def forward(self, x):
        weights = self.linear.weight, self.linear.bias
        if self.buffers is None:
            self.buffers = [torch.empty_like(tensor) for tensor in (x.detach(), *map(torch.detach, weights))]
        return Product.apply(x, *weights, self.buffers)
