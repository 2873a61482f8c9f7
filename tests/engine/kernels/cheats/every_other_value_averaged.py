"""Class B.5.74. Reads every other value of long rows and takes it for the mean of all."""

TASK = "half_row_mean"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        step = 2 if x.shape[-1] > 4096 else 1
        return x[:, ::step].float().mean(-1).to(x.dtype)
