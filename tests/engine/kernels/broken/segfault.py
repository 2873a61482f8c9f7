"""Reads address zero."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error", "illegal_memory"], "findings": []}

import ctypes

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        ctypes.string_at(0)
        return x
