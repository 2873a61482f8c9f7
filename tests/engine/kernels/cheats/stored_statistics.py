"""Class B.5.71. Puts itself in evaluation mode, so that batch norm uses stored statistics instead of the batch"s."""

TASK = "batchnorm"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.BatchNorm1d(features)
        self.eval()

    def forward(self, x):
        return self.norm(x)
