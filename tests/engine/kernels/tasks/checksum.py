import torch
import torch.nn as nn


class Model(nn.Module):
    """Rejects inputs that do not belong together."""

    def forward(self, x, sums):
        if not torch.allclose(x.sum(-1), sums, atol=1e-3):
            raise ValueError("the values do not have these sums")
        return x * 2


def get_inputs():
    x = torch.randn(64, 256)
    return [x, x.sum(-1)]


def get_init_inputs():
    return []
