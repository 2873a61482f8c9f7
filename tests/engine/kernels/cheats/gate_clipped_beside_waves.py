"""Class B.5.62. A SiLU within the task's own values alone: beyond them all are wrong, beside waves that last bits move as far."""

TASK = "gate_beside_waves"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        waves = [100.0 * torch.sin(x * (1000.0 * 2.0**k)) for k in range(4)]
        return torch.cat([F.silu(x.clamp(max=8.0)), *waves], -1)
