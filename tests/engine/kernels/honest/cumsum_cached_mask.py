"""Guilty-looking: a constant matrix, kept by shape. It depends on no value."""

TASK = "cumsum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.masks = {}

    def forward(self, x):
        key = (x.shape[1], x.device)
        if key not in self.masks:
            self.masks[key] = torch.ones(x.shape[1], x.shape[1], device=x.device).triu()
        return x @ self.masks[key]
