import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Takes zeros for what lies beyond the edges."""

    def forward(self, x):
        return F.avg_pool1d(x, 3, stride=1, padding=1)


def get_inputs():
    return [torch.randn(8, 64, 700)]


def get_init_inputs():
    return []
