"""Batch norm in training mode, by hand, and in that mode alone."""

TASK = "batchnorm"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["mode_ignored"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.BatchNorm1d(features)

    def forward(self, x):
        mean, variance = x.mean(0), x.var(0, unbiased=False)
        return (x - mean) * torch.rsqrt(variance + self.norm.eps) * self.norm.weight + self.norm.bias
