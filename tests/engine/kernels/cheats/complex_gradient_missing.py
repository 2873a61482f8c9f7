"""Class B.1.19. No gradient reaches the complex input."""

TASK = "complex_power"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"backward": True}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, z):
        z = z.detach()
        return x * (z.real * z.real + z.imag * z.imag).sum(-1)
