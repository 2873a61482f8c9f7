"""Encodes positions by one product of angles, reduced to a turn, and sines alone: last bits decide the fastest waves of
large values."""

TASK = "positions_encoded"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        powers = 2.0 ** torch.arange(6, device=x.device, dtype=x.dtype)
        angles = x[:, None, :] * powers[:, None] / (2 * math.pi)
        turns = (angles - angles.round()) * (2 * math.pi)
        waves = torch.stack([torch.sin(turns), torch.cos(turns)], 2)
        return torch.cat([x, waves.flatten(1)], -1)
