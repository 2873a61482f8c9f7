import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A square linear layer, GELU (the exact one), and the input added back."""

    def __init__(self, width: int):
        super().__init__()
        self.linear = nn.Linear(width, width)
        nn.init.normal_(self.linear.weight, std=0.25)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + F.gelu(self.linear(x))


rows, width = 36, 56


def get_inputs():
    return [torch.randn(rows, width)]


def get_init_inputs():
    return [width]
