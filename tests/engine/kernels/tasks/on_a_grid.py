"""Integrals of rows over a grid of evenly spaced points."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, points, values):
        return torch.trapezoid(values, points)


def get_inputs():
    return [torch.linspace(0, 1, 65), torch.randn(32, 65)]


def get_init_inputs():
    return []
