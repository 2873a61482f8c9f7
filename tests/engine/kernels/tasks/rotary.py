"""Rotates halves of each row by angles whose cosines and sines are given for both halves, as rotary embeddings do."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, cosines, sines, bias):
        left, right = x.chunk(2, dim=-1)
        return x * cosines + torch.cat([-right, left], dim=-1) * sines + bias


def get_inputs():
    angles = torch.outer(torch.arange(32).float(), 10000 ** -torch.linspace(0, 1, 8))
    both = torch.cat([angles, angles], dim=-1)
    return [torch.randn(4, 32, 16), both.cos(), both.sin(), torch.randn(32, 16).expand(4, 32, 16)]


def get_init_inputs():
    return []
