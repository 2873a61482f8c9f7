import torch
import torch.nn as nn


class Model(nn.Module):
    """The Huber loss of every row, written out: quadratic near zero, linear beyond delta."""

    def __init__(self, delta: float):
        super().__init__()
        self.delta = delta

    def forward(self, prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        error = (prediction - target).abs()
        quadratic = 0.5 * error * error
        linear = self.delta * (error - 0.5 * self.delta)
        return torch.where(error <= self.delta, quadratic, linear).mean(dim=1)


rows, width = 120, 260
delta = 0.75


def get_inputs():
    return [torch.randn(rows, width), torch.randn(rows, width)]


def get_init_inputs():
    return [delta]
