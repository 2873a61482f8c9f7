"""Overflows in about every second draw of values that are scaled up: exp(0.75 * 32 * 3.7) is the largest fp32 number."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.log(1 + torch.exp(x.float() * 0.75))


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []
