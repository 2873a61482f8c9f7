"""Prints 200 MB, mostly without line ends. Correct otherwise: nothing may block on unread output."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import os
import sys

import torch
import torch.nn as nn

FLOOD = "spam " * 200_000


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        for _ in range(100):
            sys.stdout.write(FLOOD)
            os.write(2, FLOOD.encode())

    def forward(self, x):
        return torch.relu(x)
