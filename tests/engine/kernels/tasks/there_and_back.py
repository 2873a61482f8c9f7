import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, turn):
        """Give `x` back but for rounding: a few of its values are a million times the others."""
        return (x @ turn) @ turn.t()


def get_inputs():
    x = torch.randn(48, 64)
    x[::6, 5] *= 1e6
    turn = torch.linalg.qr(torch.randn(64, 64))[0]
    return [x, turn]


def get_init_inputs():
    return []
