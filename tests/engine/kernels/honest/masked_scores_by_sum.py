"""Adds minus infinity instead of filling it in; NaN where the reference has NaN."""

TASK = "masked_scores"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        size = x.shape[-1]
        mask = torch.full((size, size), float("-inf"), device=x.device).triu(1)
        scores = x + mask
        return scores, torch.log2(scores) * 0.6931471805599453
