"""Returns an OrderedDict of many kinds: parameter, size, None, 0-dim, boolean, empty and nested outputs."""

from collections import OrderedDict

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))

    def forward(self, x):
        scaled = x * self.weight
        return OrderedDict(
            scaled=scaled,
            weight=self.weight,
            size=x.shape,
            nothing=None,
            nested=(x.mean(), [scaled > 0, (x[:0],)]),
        )


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return [256]
