"""Class B.5.74. Never reads every other row of a mask: its only family was alike everywhere."""

TASK = "mask_share"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, mask):
        return mask[::2].float().mean()
