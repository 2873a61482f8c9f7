"""A Fourier transform as a product with a matrix, with a complex result."""

TASK = "spectrum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        n = x.shape[-1]
        places = torch.arange(n, device=x.device, dtype=torch.float64)
        angles = torch.outer(places, places[: n // 2 + 1]) * (-2 * math.pi / n)
        wide = x.double()
        return torch.complex((wide @ angles.cos()).float(), (wide @ angles.sin()).float())
