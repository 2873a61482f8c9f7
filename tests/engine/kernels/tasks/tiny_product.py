import torch
import torch.nn as nn


class Model(nn.Module):
    """Its output is so small that an absolute tolerance of 1e-4 passes anything."""

    def forward(self, a, b):
        return (a @ b) * 1e-5


def get_inputs():
    return [torch.randn(48, 96), torch.randn(96, 40)]


def get_init_inputs():
    return []
