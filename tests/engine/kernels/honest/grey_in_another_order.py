"""Adds channels in another order: where a half comes of it, last bits decide, and integers had none."""

TASK = "grey"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, image):
        red, green, blue = image.float().unbind(-1)
        return ((0.114 * blue + 0.587 * green) + 0.299 * red).round().to(torch.uint8)
