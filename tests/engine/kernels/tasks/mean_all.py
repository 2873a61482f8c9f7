import torch
import torch.nn as nn


class Model(nn.Module):
    """A task that a constant nearly solves: the mean of many normal values is close to zero."""

    def forward(self, x):
        return x.mean()


def get_inputs():
    return [torch.randn(400, 500)]


def get_init_inputs():
    return []
