"""Lacks a return statement."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_structure"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        torch.relu(x)
