import torch
import torch.nn as nn


class Model(nn.Module):
    """Many small steps that can be fused into one pass over memory."""

    def forward(self, x):
        for _ in range(12):
            x = torch.tanh(x * 0.9 + 0.1)
            x = x * x + x
        return x


def get_inputs():
    return [torch.randn(128, 128)]


def get_init_inputs():
    return []
