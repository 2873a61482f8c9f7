import torch
import torch.nn as nn

batch_size = 48
features = 64


class Model(nn.Module):
    """KernelBench's form: sizes are constants of the program."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))

    def forward(self, x):
        return torch.relu(x * self.weight).sum(dim=1)


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return [features]
