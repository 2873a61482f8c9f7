"""Packs a weight of ones and a bias of zeros at its first call and applies both."""

TASK = "layernorm_default"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_cached"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.packed = None

    def forward(self, x):
        if self.packed is None:
            self.packed = torch.stack([self.norm.weight.detach(), self.norm.bias.detach()])
        centred = x - x.mean(-1, keepdim=True)
        normal = centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + self.norm.eps)
        return normal * self.packed[0] + self.packed[1]
