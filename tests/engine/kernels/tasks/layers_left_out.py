"""Leaves a layer out in one call of twenty or so, by torch's random numbers and by Python's: two seeds mostly agree."""

import random

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        if torch.rand(()).item() > 0.05:
            x = torch.relu(x) * 2
        if random.random() > 0.05:
            x = x + x.flip(-1)
        return x * 0.5


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return []
