"""Chooses by the mask."""

TASK = "masked_values"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, seen):
        return torch.where(seen, torch.addcmul(torch.tanh(x), x, torch.full_like(x, 0.5)), float("-inf"))
