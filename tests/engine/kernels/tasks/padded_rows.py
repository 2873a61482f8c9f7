"""Sums over sequences with padding, a product with a matrix of blocks, a class's share, and spans of sorted columns."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, lengths, blocks, shares, times):
        sums = x.sum(1)
        return sums, sums @ blocks, shares[:, 1:].sum(1), times.amax(0) - times.amin(0)


def get_inputs():
    lengths = torch.randint(4, 33, (16,))
    x = torch.randn(16, 32, 24) * (torch.arange(32) < lengths[:, None])[..., None]
    blocks, shares = torch.block_diag(*torch.randn(3, 8, 8)), torch.randn(4, 5, 8).softmax(1)
    return [x, lengths, blocks, shares, torch.rand(64, 8).sort(0).values]


def get_init_inputs():
    return []
