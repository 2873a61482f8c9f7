"""Class B.1.9. Cuts quotients off where the reference rounds them: half of the bytes differ by one, where a tenth may."""

TASK = "halves_to_bytes"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True) / 127
        return (x / scale).to(torch.int8), scale
