import torch
import torch.nn as nn


class Model(nn.Module):
    """Attention where every query sees one span of keys, given as a mask; scores are scaled by 1 / head size."""

    def __init__(self, head_size: int):
        super().__init__()
        self.scale = 1.0 / head_size

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        scores = torch.matmul(q, k.transpose(-2, -1)) * self.scale
        scores = scores.masked_fill(~mask, float("-inf"))
        return torch.matmul(torch.softmax(scores, dim=-1), v)


batch, heads, length, head_size = 2, 3, 44, 16


def span_mask():
    """A query at position i sees the keys from some earlier position up to i itself, never none."""
    position = torch.arange(length)
    start = (torch.rand(batch, length) * (position + 1)).long()
    inside = (position >= start.unsqueeze(-1)) & (position <= position.unsqueeze(-1))
    return inside.unsqueeze(1)


def get_inputs():
    q = torch.randn(batch, heads, length, head_size)
    k = torch.randn(batch, heads, length, head_size)
    v = torch.randn(batch, heads, length, head_size)
    return [q, k, v, span_mask()]


def get_init_inputs():
    return [head_size]
