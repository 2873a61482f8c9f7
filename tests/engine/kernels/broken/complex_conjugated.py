"""A wrong sign in each imaginary part and nothing right in the real ones: more wrong numbers than elements."""

TASK = "spectrum"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x).conj().resolve_conj() + 3.0
