"""A program that does not parse."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["load_error"], "findings": []}

RAW = '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x)
        return torch.relu(x)
'''
