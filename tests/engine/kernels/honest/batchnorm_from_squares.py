"""Takes the variance from a mean of squares, as a kernel in one pass does, and folds the mean into the bias: of values
that are nearly equal it rounds at the size of their mean."""

TASK = "linear_batchnorm"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, features):
        super().__init__()
        self.linear = nn.Linear(inputs, features)
        self.scale = nn.Parameter(torch.randn(features))
        self.norm = nn.BatchNorm1d(features)

    def forward(self, x):
        norm = self.norm
        y = torch.addmm(self.linear.bias * self.scale, x, (self.linear.weight * self.scale[:, None]).T)
        mean, variance = norm.running_mean, norm.running_var
        if self.training:
            mean = y.mean(0)
            variance = (y * y).mean(0) - mean * mean
            norm.num_batches_tracked.add_(1)
            norm.running_mean.lerp_(mean, norm.momentum)
            norm.running_var.lerp_(variance * len(y) / (len(y) - 1), norm.momentum)
        factor = norm.weight * torch.rsqrt(variance + norm.eps)
        return y * factor + (norm.bias - mean * factor)
