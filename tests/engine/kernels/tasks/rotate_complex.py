"""Products of complex numbers, with a complex weight, in both precisions."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = nn.Parameter(torch.randn(64, dtype=torch.complex64))

    def forward(self, left, right):
        turned = left * right + left.conj() * self.turn
        return turned, turned.to(torch.complex128).sum(-1), torch.fft.ifft(turned)


def get_inputs():
    return [torch.randn(64, 64, dtype=torch.complex64), torch.randn(64, 64, dtype=torch.complex64)]


def get_init_inputs():
    return []
