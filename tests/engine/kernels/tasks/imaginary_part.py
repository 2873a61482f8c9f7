import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return -(x * x).imag


def get_inputs():
    return [torch.randn(64, 48, dtype=torch.complex64)]


def get_init_inputs():
    return []
