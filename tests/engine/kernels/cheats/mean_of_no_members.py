"""Class B.1.7. The mean of a segment without members divides by zero: no draw has one."""

TASK = "segment_mean"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["assumes_none_empty"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, labels):
        counts = torch.bincount(labels, minlength=16).to(x.dtype)
        sums = torch.zeros(16, x.shape[1], device=x.device).index_add_(0, labels, x)
        return sums / counts[:, None]
