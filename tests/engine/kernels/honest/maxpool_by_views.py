"""Pooling as a maximum over two axes of a view."""

TASK = "maxpool"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size

    def forward(self, x):
        n, c, h, w = x.shape
        k = self.kernel_size
        tiles = x[:, :, : h // k * k, : w // k * k].reshape(n, c, h // k, k, w // k, k)
        return tiles.amax(dim=(3, 5))
