"""Guilty-looking: it doubles its weights when it is built and halves the result. Right with the weights that it draws,
wrong with the reference's own values, which overwrite the doubled ones."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_seeded"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        with torch.no_grad():
            self.linear.weight.mul_(2)
            self.linear.bias.mul_(2)

    def forward(self, x):
        return self.linear(x) * 0.5
