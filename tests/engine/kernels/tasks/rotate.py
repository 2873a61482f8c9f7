"""Rotation of complex numbers: complex in and out."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, angle):
        return x * torch.polar(torch.ones_like(angle), angle)


def get_inputs():
    return [torch.randn(64, 256, dtype=torch.complex64), torch.randn(256)]


def get_init_inputs():
    return []
