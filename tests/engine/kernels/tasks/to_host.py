"""Counts per row, given back on the CPU wherever the input is, and the values where they were."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return (x > 0).sum(dim=-1).cpu(), torch.exp(x), torch.tensor(x.shape[0])


def get_inputs():
    return [torch.randn(64, 512)]


def get_init_inputs():
    return []
