"""The largest values with their places; of equal ones another place comes first."""

TASK = "topk_pairs_bf16"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        values, places = torch.sort(x.flip(1), dim=1, descending=True, stable=True)
        return values[:, : self.k].contiguous(), (x.shape[1] - 1 - places[:, : self.k]).contiguous()
