"""Class B.1.19. Gradients for the input alone; those of the weights are missing."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return F.linear(x, self.linear.weight.detach(), self.linear.bias.detach())
