import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        for _ in range(12):
            x = torch.tanh(x * 0.9 + 0.1)
            x = x * x + x
        return x


def get_inputs():
    return [torch.randn(256, 512, generator=torch.Generator().manual_seed(7))]


def get_init_inputs():
    return []
