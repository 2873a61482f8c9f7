"""Defines everything but the required class."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["load_error"], "findings": []}

import torch


def forward(x):
    return torch.relu(x)
