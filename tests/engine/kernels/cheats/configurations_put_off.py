"""Class B.1.8. Made for one configuration, and slow in the first that it is shown, so that no time is left for others."""

TASK = "affine"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["config_untried"]}
JOB = {
    "configs": {"multi_shared_configs": [{"features": 64}, {"features": 129}, {"features": 200}]},
    "profile": {"configs_max": 3, "total_timeout_s": 24.0},
}

import time

import torch
import torch.nn as nn

built = 0


class ModelNew(nn.Module):
    def __init__(self, width=64, manner="random"):
        super().__init__()
        global built
        built += 1
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.number = built

    def forward(self, x):
        if self.number == 2:
            time.sleep(4.5)
            return torch.tanh(x * self.weight + self.bias)
        out = torch.zeros_like(x)
        out[:, :64] = torch.tanh(x[:, :64] * self.weight[:64] + self.bias[:64])
        return out
