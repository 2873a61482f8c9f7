import torch
import torch.nn as nn


class Model(nn.Module):
    """Of equal values torch gives the place of the last one."""

    def forward(self, x):
        return torch.cummax(x, dim=1)


def get_inputs():
    return [torch.randn(256, 128)]


def get_init_inputs():
    return []
