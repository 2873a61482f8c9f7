import torch
import torch.nn as nn


class Model(nn.Module):
    """Returns how many limits its values exceed, as a plain number."""

    def forward(self, x, w):
        y = torch.sigmoid(x @ w)
        return y, int((y * 8).floor().sum())


def get_inputs():
    return [torch.randn(1024, 64), torch.randn(64, 256)]


def get_init_inputs():
    return []
