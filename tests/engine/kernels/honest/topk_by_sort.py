"""The first values after sorting."""

TASK = "topk"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        return torch.sort(x, dim=1, descending=True).values[:, : self.k].contiguous()
