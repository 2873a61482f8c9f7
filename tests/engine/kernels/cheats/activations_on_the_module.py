"""Class B.1.13. A backward pass that finds what it needs on the module, where the next call overwrites it."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["activations_overwritten"]}
JOB = {"backward": True}

import torch
import torch.nn as nn

kept = {}


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        kept["x"], kept["weight"] = x, weight
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, upstream):
        return upstream @ kept["weight"], upstream.t() @ kept["x"], upstream.sum(0)


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return Product.apply(x, self.linear.weight, self.linear.bias)
