"""Copies its input into a padded buffer, of which it clears the padding alone."""

TASK = "box_mean"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        padded = torch.empty(*x.shape[:2], x.shape[2] + 2, dtype=x.dtype, device=x.device)
        padded[:, :, 1:-1] = x
        padded[:, :, ::padded.shape[2] - 1] = 0
        return (padded[:, :, :-2] + padded[:, :, 1:-1] + padded[:, :, 2:]) / 3
