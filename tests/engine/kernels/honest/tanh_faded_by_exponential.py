"""Computes tanh from one exponential, which cancels near zero: small values are less exact than the reference's."""

TASK = "tanh_faded"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = 1 - 2 / (1 + torch.exp(2 * x))
        y[:, x.shape[-1] // 2 :] *= 1e-5
        return y
