import torch
import torch.nn as nn


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        raise ValueError("there is no backward pass yet")


class Model(nn.Module):
    """Has a backward pass that fails."""

    def forward(self, x):
        return Double.apply(x)


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
