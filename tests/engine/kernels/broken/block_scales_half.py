"""Scales of the first half of each block: too small by a power of two or more for some of them."""

TASK = "block_scales"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        blocks = x.view(x.shape[0], -1, 32)[:, :, :16]
        return blocks.abs().amax(dim=-1).clamp(min=1e-12).to(torch.float8_e8m0fnu)
