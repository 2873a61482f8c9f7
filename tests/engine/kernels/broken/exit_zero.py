"""Exits with status 0 in the middle of a call, without a message."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error", "cheated"], "findings": []}

import os

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os._exit(0)
