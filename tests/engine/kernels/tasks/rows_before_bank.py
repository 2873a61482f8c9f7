"""Layers over new rows and over a bank of others, which is the same in every draw."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ParameterList([nn.Parameter(torch.randn(256, 256) / 16) for _ in range(4)])

    def forward(self, x):
        for weight in self.layers:
            x = torch.tanh(x @ weight)
        return x


def get_inputs():
    bank = torch.sin(torch.arange(1000 * 256, dtype=torch.float32) * 0.7).view(1000, 256)
    return [torch.cat([torch.randn(24, 256), bank])]


def get_init_inputs():
    return []
