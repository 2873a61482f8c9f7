"""A complex affine map of each element; its bias is zero at first."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64, dtype=torch.complex64))
        self.bias = nn.Parameter(torch.zeros(64, dtype=torch.complex64))

    def forward(self, x):
        return x * self.weight + self.bias


def get_inputs():
    return [torch.randn(128, 64, dtype=torch.complex64)]


def get_init_inputs():
    return []
