"""Class B.5.64. Takes maxima before it scales them, which a scale below zero turns into minima; the task's are ones."""

TASK = "norm_before_pool"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["assumes_no_negatives"]}

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
        scale, shift = (weight.view(1, -1, 1, 1) for weight in (self.norm.weight, self.norm.bias))
        return (F.max_pool2d(x, 2) - mean) * torch.rsqrt(variance + self.norm.eps) * scale + shift
