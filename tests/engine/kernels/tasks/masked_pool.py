"""The weighted means of those rows that a mask of integers, and one that is added, choose."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mask, bias):
        scores = x.sum(-1) / 4
        chosen = scores.masked_fill(mask == 0, -1e30).softmax(-1), (scores + bias).softmax(-1)
        return tuple((weights[..., None] * x).sum(1) for weights in chosen)


def get_inputs():
    bias = torch.zeros(16, 256).masked_fill(torch.rand(16, 256) > 0.1, float("-inf"))
    return [torch.randn(16, 256, 16), (torch.rand(16, 256) < 0.1).long(), bias]


def get_init_inputs():
    return []
