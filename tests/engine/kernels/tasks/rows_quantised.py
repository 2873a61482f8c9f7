import torch
import torch.nn as nn


class Model(nn.Module):
    """Quantises rows where they are, and returns their scales."""

    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True) / 127
        x.div_(scale).round_()
        return scale


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return []
