"""Overflows the C stack: the process dies of a segmentation fault that no Python code raised."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error", "illegal_memory"], "findings": []}

import sys

import torch.nn as nn

sys.setrecursionlimit(10**9)


class Deep:
    def __repr__(self):
        return repr([self])


class ModelNew(nn.Module):
    def forward(self, x):
        repr(Deep())
        return x
