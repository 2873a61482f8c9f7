import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mask, bias, eps):
        return (x * mask + bias) / (x.abs().mean(-1, keepdim=True) + eps)


def get_inputs():
    return [torch.randn(32, 64), torch.ones(32, 64), torch.zeros(64), 1e-6]


def get_init_inputs():
    return []
