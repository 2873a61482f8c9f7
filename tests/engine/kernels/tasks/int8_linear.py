"""A product of int8 matrices in int32, scaled back."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, weight, scale):
        product = x.int().unsqueeze(1).mul(weight.int()).sum(dim=-1)
        return product.float() * scale


def get_inputs():
    x = torch.randint(-128, 128, (32, 64), dtype=torch.int8)
    return [x, torch.randint(-128, 128, (48, 64), dtype=torch.int8), torch.rand(48) * 0.01]


def get_init_inputs():
    return []
