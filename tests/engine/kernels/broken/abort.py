"""Aborts."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error"], "findings": []}

import os

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.abort()
