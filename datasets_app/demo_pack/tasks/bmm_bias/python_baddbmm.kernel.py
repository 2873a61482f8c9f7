import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """The scale and the bias handed to the matrix product itself, as its alpha and its addend."""

    def __init__(self, scale: float):
        super().__init__()
        self.scale = scale

    def forward(self, a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.baddbmm(bias, a, b, beta=1.0, alpha=self.scale)
