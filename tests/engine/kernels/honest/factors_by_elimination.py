"""Eliminates column by column and divides by each pivot, of which a singular matrix has a zero."""

TASK = "factors"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.clone()
        for k in range(len(x) - 1):
            pivot = k + int(x[k:, k].abs().argmax())
            x[[k, pivot]] = x[[pivot, k]]
            x[k + 1 :, k] /= x[k, k]
            x[k + 1 :, k + 1 :] -= x[k + 1 :, k, None] * x[k, None, k + 1 :]
        return x
