"""Some layers on one of eight batches."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ParameterList([nn.Parameter(torch.randn(256, 256) / 16) for _ in range(8)])

    def forward(self, x):
        for weight in self.layers:
            x = torch.tanh(x @ weight)
        return x


def get_inputs():
    seed = int(torch.randint(0, 8, ()))
    return [torch.randn(128, 256, generator=torch.Generator().manual_seed(seed))]


def get_init_inputs():
    return []
