import torch
import torch.nn as nn


class Model(nn.Module):
    """Adds a residual and normalises each row by its root mean square."""

    def __init__(self, width: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        total = x + residual
        return total * torch.rsqrt(total.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


rows, width = 256, 320


def get_inputs():
    return [torch.randn(rows, width), torch.randn(rows, width)]


def get_init_inputs():
    return [width, 1e-5]
