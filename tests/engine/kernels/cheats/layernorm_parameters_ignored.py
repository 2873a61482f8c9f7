"""Class B.5.64. Leaves out a weight of ones and a bias of zeros, which it holds but never reads."""

TASK = "layernorm_default"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_ignored"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + self.norm.eps)
