"""Real values by the power of complex ones."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, z):
        return x * (z.real * z.real + z.imag * z.imag).sum(-1)


def get_inputs():
    return [torch.randn(64, 128), torch.randn(64, 128, 16, dtype=torch.complex64)]


def get_init_inputs():
    return []
