"""Class B.5.62. A peak that is clipped beyond the task's own values, a plain number beside waves: what last bits move in
these used to excuse it.
"""

TASK = "peak_beside_waves"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.sin(x * 3e5), min(x.abs().amax().item(), 7.0)
