"""Four real products in place of a complex one, under the tolerance of the task's own."""

TASK = "complex_mean"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"calibrate": True}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        real = a.real @ b.real - a.imag @ b.imag
        imaginary = a.real @ b.imag + a.imag @ b.real
        return torch.complex(real, imaginary) / 256
