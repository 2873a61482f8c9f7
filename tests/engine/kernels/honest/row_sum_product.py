"""A sum as a product with ones."""

TASK = "row_sum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.mv(x, torch.ones(x.shape[1], device=x.device, dtype=x.dtype))
