"""Class B.1.19. A correct forward pass that autograd cannot see, although gradients are required."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_structure"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        with torch.no_grad():
            return self.linear(x)
