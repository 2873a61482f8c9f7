"""Class B.5.66. Complex operands with the mantissas of half precision."""

TASK = "complex_mean"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"profile": {"calibrate": True, "families": []}}

import torch
import torch.nn as nn


def in_half(x):
    return torch.view_as_complex(torch.view_as_real(x).half().float())


class ModelNew(nn.Module):
    def forward(self, a, b):
        return in_half(a) @ in_half(b) / 256
