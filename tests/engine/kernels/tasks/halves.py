"""bf16 in and out: a gate, and the two halves of its input as views."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        left, right = x.chunk(2, dim=-1)
        return left * torch.sigmoid(right), (left, right)


def get_inputs():
    return [torch.randn(64, 512, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
