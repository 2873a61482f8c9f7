"""Applies a mask of ones and adds a bias of zeros, as the task says."""

TASK = "masked_scale"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask, bias, eps):
        scale = 1 / (x.abs().sum(-1, keepdim=True) / x.shape[-1] + eps)
        return torch.addcmul(bias.expand_as(x), x, mask) * scale
