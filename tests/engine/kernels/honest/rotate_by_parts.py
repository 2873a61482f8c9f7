"""Complex numbers as pairs of real ones; the output is a view that is conjugated when it is read."""

TASK = "rotate"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, angle):
        cosine, sine = angle.cos(), angle.sin()
        real, imaginary = x.real * cosine - x.imag * sine, x.real * sine + x.imag * cosine
        return torch.complex(real, -imaginary).conj()
