"""Class B.1.19. No gradients for the weights, whose names are not the reference's, so that nobody can ask for them."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weight_gradients_unchecked"]}
JOB = {"backward": True}

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.own = nn.Linear(features_in, features_out)

    def forward(self, x):
        return F.linear(x, self.own.weight.detach(), self.own.bias.detach())
