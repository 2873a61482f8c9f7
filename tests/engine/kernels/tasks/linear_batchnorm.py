import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inputs, features):
        super().__init__()
        self.linear = nn.Linear(inputs, features)
        self.scale = nn.Parameter(torch.randn(features))
        self.norm = nn.BatchNorm1d(features)

    def forward(self, x):
        return self.norm(self.linear(x) * self.scale)


def get_inputs():
    return [torch.rand(128, 64)]


def get_init_inputs():
    return [64, 128]
