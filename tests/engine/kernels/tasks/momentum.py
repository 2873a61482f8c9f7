"""A step of gradient descent: parameter and momentum change in place, and the parameter is returned."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, parameter, momentum, gradient):
        momentum.mul_(0.9).add_(gradient)
        return parameter.sub_(momentum, alpha=0.1)


def get_inputs():
    return [torch.randn(64, 512) for _ in range(3)]


def get_init_inputs():
    return []
