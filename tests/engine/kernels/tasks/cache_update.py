"""Writes new rows into a cache in place, at positions that are given, and returns it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, cache, rows, positions):
        return cache.index_copy_(0, positions, rows)


def get_inputs():
    return [torch.randn(128, 64), torch.randn(16, 64), torch.randperm(128)[:16]]


def get_init_inputs():
    return []
