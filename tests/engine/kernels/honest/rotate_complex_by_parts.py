"""Computes real and imaginary parts by themselves."""

TASK = "rotate_complex"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = nn.Parameter(torch.randn(64, dtype=torch.complex64))

    def forward(self, left, right):
        a, b, c, d = left.real, left.imag, right.real, right.imag
        real = a * c - b * d + a * self.turn.real + b * self.turn.imag
        imaginary = a * d + b * c + a * self.turn.imag - b * self.turn.real
        turned = torch.complex(real, imaginary)
        sums = torch.complex(real.double().sum(-1), imaginary.double().sum(-1))
        return turned, sums, torch.fft.fft(turned.conj()).conj() / turned.shape[-1]
