"""The distinct values of a tensor of integers, and how often each occurs."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.unique(x, return_counts=True)


def get_inputs():
    return [torch.randint(0, 200, (256,))]


def get_init_inputs():
    return []
