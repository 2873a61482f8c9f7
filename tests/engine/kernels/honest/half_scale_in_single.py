"""Half precision in and out, single precision between."""

TASK = "half_scale"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x.float() * 0.5 + 1.0).to(x.dtype)
