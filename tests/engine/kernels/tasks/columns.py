import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.register_buffer("units", torch.logspace(-3, 6, columns))

    def forward(self, x):
        return x / self.units


def get_inputs():
    return [torch.randn(512, 128) * torch.logspace(-3, 6, 128)]


def get_init_inputs():
    return [128]
