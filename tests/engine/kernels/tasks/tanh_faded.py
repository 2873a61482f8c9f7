import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        near, far = torch.tanh(x).chunk(2, dim=-1)
        return torch.cat([near, far * 1e-5], dim=-1)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return []
