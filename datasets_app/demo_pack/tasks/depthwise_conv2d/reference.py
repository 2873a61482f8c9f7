import torch
import torch.nn as nn


class Model(nn.Module):
    """A depthwise 3 x 3 convolution: every channel has a filter of its own."""

    def __init__(self, channels: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size=3, padding=1, groups=channels, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


batch, channels, height, width = 3, 12, 30, 34


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [channels]
