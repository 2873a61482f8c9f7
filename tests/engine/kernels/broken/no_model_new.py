"""Everything but the class that is asked for."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["load_error"], "findings": []}

import torch


def forward(x):
    return torch.relu(x)
