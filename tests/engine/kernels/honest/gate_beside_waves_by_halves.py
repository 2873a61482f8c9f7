"""Takes waves by sine and cosine of half the angle, which last bits of large values decide, and the gate by a tangent."""

TASK = "gate_beside_waves"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        gate = x * (0.5 + 0.5 * torch.tanh(0.5 * x))
        half = x[:, None, :] * (500.0 * 2.0 ** torch.arange(4, device=x.device, dtype=x.dtype))[:, None]
        waves = 200.0 * torch.sin(half) * torch.cos(half)
        return torch.cat([gate, waves.flatten(1)], -1)
