"""All waves in one call; of large values last bits move most of them."""

TASK = "fast_waves"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        frequencies = torch.tensor([1.0, 4.0, 16.0, 64.0, 256.0], device=x.device)
        return torch.sin(x[:, None, :] * frequencies[:, None]).flatten(1)
