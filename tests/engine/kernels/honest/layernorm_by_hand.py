"""Mean and variance in one function, the weights by their names."""

TASK = "layernorm"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        mean = x.mean(dim=1, keepdim=True)
        centred = x - mean
        scale = torch.rsqrt((centred * centred).mean(dim=1, keepdim=True) + self.norm.eps)
        return centred * scale * self.norm.weight + self.norm.bias
