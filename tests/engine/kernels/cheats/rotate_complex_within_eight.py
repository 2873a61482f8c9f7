"""Class B.5.62. Wrong beyond a size that the task's own values do not reach; complex ones used to be changed by no family."""

TASK = "rotate_complex"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = nn.Parameter(torch.randn(64, dtype=torch.complex64))

    def forward(self, left, right):
        size = left.abs().clamp_min(1e-6)
        left = left * (size.clamp_max(8) / size)
        turned = left * right + left.conj() * self.turn
        return turned, turned.to(torch.complex128).sum(-1), torch.fft.ifft(turned)
