"""Three projections by one product, returned as views of it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, 3 * features)

    def forward(self, x):
        return self.linear(x).chunk(3, dim=-1)


def get_inputs():
    return [torch.randn(24, 40)]


def get_init_inputs():
    return [40]
