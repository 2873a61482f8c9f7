"""The mean and the variance of each of some frames of bytes, each of its own brightness."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, frames):
        return frames.float().mean((1, 2)), frames.float().var((1, 2))


def get_inputs():
    level = 40 + torch.rand(8, 1, 1) * 160
    return [(level + torch.rand(8, 256, 256) * 12).to(torch.uint8)]


def get_init_inputs():
    return []
