"""Class B.5.64. Leaves out stored statistics of zeros and ones, which it holds but never reads."""

TASK = "batchnorm_stored"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_ignored"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.BatchNorm1d(features)

    def forward(self, x):
        scale = self.norm.weight / (1 + self.norm.eps) ** 0.5
        return x * scale + self.norm.bias
