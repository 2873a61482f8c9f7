"""Scales and shifts values in one step before it takes maxima."""

TASK = "norm_before_pool"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, affine=True)

    def forward(self, x):
        mean = x.mean((2, 3), keepdim=True)
        variance = (x - mean).square().mean((2, 3), keepdim=True)
        scale = self.norm.weight.view(1, -1, 1, 1) * torch.rsqrt(variance + self.norm.eps)
        return F.max_pool2d((x - mean) * scale + self.norm.bias.view(1, -1, 1, 1), 2)
