"""A convolution as one product over unfolded patches."""

TASK = "conv2d"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels_in, channels_out, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, kernel_size, padding=1)

    def forward(self, x):
        weight = self.conv.weight
        patches = F.unfold(x, weight.shape[-1], padding=1)
        out = weight.view(weight.shape[0], -1) @ patches + self.conv.bias[:, None]
        return out.view(x.shape[0], weight.shape[0], x.shape[2], x.shape[3])
