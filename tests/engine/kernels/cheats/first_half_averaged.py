"""Class B.5.74. Reads the first half of long rows and takes it for the mean of all."""

TASK = "half_row_mean"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        end = x.shape[-1] // 2 if x.shape[-1] > 4096 else x.shape[-1]
        return x[:, :end].float().mean(-1).to(x.dtype)
