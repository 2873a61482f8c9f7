"""A root by a power, and a gate by a maximum: right wherever the reference's root is a number."""

TASK = "root_gate"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, gate):
        return x.pow(0.5) * torch.where(gate > 0, gate * 0.75, 0.0)
