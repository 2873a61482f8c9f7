"""Class B.1.19. Right where no gradient is asked for; where one is, the outputs are zeros, with right gradients."""

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
        return x.new_zeros(x.shape[0], weight.shape[0])

    @staticmethod
    def backward(ctx, upstream):
        x, weight = ctx.saved_tensors
        return upstream @ weight, upstream.t() @ x, upstream.sum(0)


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        weight, bias = self.linear.weight, self.linear.bias
        return Product.apply(x, weight, bias) if torch.is_grad_enabled() else torch.addmm(bias, x, weight.t())
