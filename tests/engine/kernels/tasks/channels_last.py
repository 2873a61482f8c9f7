"""A depthwise scale whose output is channels_last, for a model with keyword-only arguments."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, *, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        return (x * self.scale[:, None, None]).contiguous(memory_format=torch.channels_last)


def get_inputs():
    return [torch.randn(4, 8, 16, 16)]


def get_init_inputs():
    return [[], {"channels": 8}]
