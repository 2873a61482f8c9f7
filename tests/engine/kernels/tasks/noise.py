import torch
import torch.nn as nn


class Model(nn.Module):
    """Adds random numbers, which take most of its time."""

    def forward(self, x):
        return x + torch.randn_like(x)


def get_inputs():
    return [torch.randn(256, 1024)]


def get_init_inputs():
    return []
