"""Waves over places whose step is a drawn number, shifted by a drawn value."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, shift, step):
        waves = torch.arange(200_000, device=shift.device) * step
        for _ in range(20):
            waves = torch.sin(waves * 1.1 + 0.3)
        return waves + shift


def get_inputs():
    return [torch.randn(1), float(torch.rand(())) + 0.1]


def get_init_inputs():
    return []
