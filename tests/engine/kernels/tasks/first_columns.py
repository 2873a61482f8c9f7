import torch
import torch.nn as nn


class Model(nn.Module):
    """Keeps the number of its output's columns among its weights."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.tensor(4.0))

    def forward(self, x):
        return x[:, : int(self.kept.item())] * 2


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
