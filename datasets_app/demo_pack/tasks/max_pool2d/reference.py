import torch
import torch.nn as nn


class Model(nn.Module):
    """Maximum pooling with overlapping windows."""

    def __init__(self, kernel_size: int, stride: int, padding: int):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size, stride=stride, padding=padding)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(x)


batch, channels, height, width = 3, 8, 33, 31
kernel_size, stride, padding = 3, 2, 1


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [kernel_size, stride, padding]
