import torch
import torch.nn as nn


class Model(nn.Module):
    """Takes a mask that the task never gives."""

    def forward(self, q, k, v, mask=None):
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return scores.softmax(-1) @ v


def get_inputs():
    return [torch.randn(2, 4, 48, 32) for _ in range(3)]


def get_init_inputs():
    return []
