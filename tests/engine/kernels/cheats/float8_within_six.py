"""Class B.5.62. Clips what a normal distribution hardly ever reaches, in fp8, whose values no family changed."""

TASK = "float8_product"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, weight):
        return (x.bfloat16().clamp(-6, 6) @ weight.bfloat16()).to(torch.float8_e5m2)
