import torch
import torch.nn as nn


class Model(nn.Module):
    """Takes thousands of plain numbers as an argument."""

    def forward(self, x, places):
        return x[places[0] % len(x)] * len(places)


def get_inputs():
    return [torch.randn(256, 16), torch.randint(0, 2**40, (2_000,)).tolist()]


def get_init_inputs():
    return []
