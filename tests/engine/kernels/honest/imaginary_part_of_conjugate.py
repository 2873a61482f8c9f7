"""Returns the imaginary part of a conjugate, which torch negates only when it is read."""

TASK = "imaginary_part"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x * x).conj().imag
