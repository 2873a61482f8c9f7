"""The best score in each row and its place, with a bias of zeros and a mask of ones."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, bias, mask):
        return (x + bias).masked_fill(~mask, -1e4).max(dim=-1)


def get_inputs():
    return [torch.randn(64, 256), torch.zeros(256), torch.ones(64, 256, dtype=torch.bool)]


def get_init_inputs():
    return []
