"""Complex numbers as pairs of real ones."""

TASK = "rotate"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, angle):
        cosine, sine = angle.cos(), angle.sin()
        real, imaginary = x.real * cosine - x.imag * sine, x.real * sine + x.imag * cosine
        return torch.complex(real, imaginary)
