"""fp8 in and out, by way of half precision, which holds every fp8 number."""

TASK = "float8_scale"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("scale", torch.empty(features, dtype=torch.float8_e4m3fn))
        self.shift = nn.Parameter(torch.empty(features, dtype=torch.float8_e5m2), requires_grad=False)

    def forward(self, x, bias):
        product = x.half().float() * self.scale.half().float() + self.shift.half().float()
        return torch.add(product, bias).to(torch.float8_e4m3fn)
