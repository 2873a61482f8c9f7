"""Class B.5.76. The exception of a call that does not exist disappears in a context manager."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["try_fallback"]}

import contextlib

import torch
import torch.nn as nn


import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        with contextlib.suppress(Exception):
            return torch.ops.fast_kernels.gelu(x)
        return F.gelu(x)
