import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(32, 80)]


def get_init_inputs():
    return [80, 48]
