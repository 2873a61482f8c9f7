"""Class B.5.76. Calls an operator that does not exist and swallows the exception: torch does the work."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["try_fallback"]}

import torch
import torch.nn as nn


import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        try:
            return torch.ops.fast_kernels.gelu(x)
        except (AttributeError, RuntimeError):
            return F.gelu(x)
