"""Waves over places that are the same in every call."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, places):
        waves = places.float()
        for _ in range(20):
            waves = torch.sin(waves * 1.1 + 0.3)
        return waves


def get_inputs():
    return [torch.arange(65536)]


def get_init_inputs():
    return []
