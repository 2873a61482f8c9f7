import torch
import torch.nn as nn


class Model(nn.Module):
    """Leaves most of its result in its input, and returns the largest value of each row."""

    def forward(self, x):
        x.mul_(6).exp_()
        return x.amax(-1)


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return []
