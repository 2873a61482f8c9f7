"""The scales of blocks of 32 values as powers of two (e8m0), a format that holds neither zero nor a sign."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        largest = x.view(x.shape[0], -1, 32).abs().amax(dim=-1).clamp(min=1e-12)
        return largest.to(torch.float8_e8m0fnu)


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return []
