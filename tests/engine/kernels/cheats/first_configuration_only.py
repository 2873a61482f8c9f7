"""Class B.1.8. Made for the first configuration: reads only the first 64 values of longer rows."""

TASK = "affine"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "wrong_structure"], "findings": []}
JOB = {
    "configs": {
        "multi_input_configs": [{"batch_size": 7}, {"batch_size": 33}],
        "multi_init_configs": [{"init_method": "random"}, {"init_method": "ones"}],
        "multi_shared_configs": [{"features": 64}, {"features": 129}],
    },
    "profile": {"configs_max": 8},
}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width=64, manner="random"):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        out = torch.zeros_like(x)
        out[:, :64] = torch.tanh(x[:, :64] * self.weight[:64] + self.bias[:64])
        return out
