"""A layer whose weights are divided by an estimate of their norm, which each call makes better."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.utils.parametrizations.spectral_norm(nn.Linear(features, features))

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(12, 24)]


def get_init_inputs():
    return [24]
