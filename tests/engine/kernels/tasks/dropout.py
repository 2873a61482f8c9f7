import torch
import torch.nn as nn


class Model(nn.Module):
    """Draws random numbers in its forward pass; both sides draw from one seed."""

    def __init__(self, share):
        super().__init__()
        self.drop = nn.Dropout(share)

    def forward(self, x):
        return self.drop(x) * 2.0


def get_inputs():
    return [torch.randn(64, 96)]


def get_init_inputs():
    return [0.25]
