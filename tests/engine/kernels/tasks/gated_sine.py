"""A sine by a factor that is large in a few rows: there the gradient of the first input is large too."""

import torch
import torch.nn as nn

BACKWARD = True


class Model(nn.Module):
    def forward(self, x, factor):
        return torch.sin(x) * factor + nn.functional.gelu(x)


def get_inputs():
    factor = torch.rand(256, 64)
    factor[torch.randint(256, (2,))] *= 1e5
    return [torch.randn(256, 64), factor]


def get_init_inputs():
    return []
