"""Takes what was there before, which is empty at first, as a key-value cache is."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, before):
        return torch.cat([before, x]) * 2


def get_inputs():
    return [torch.randn(64, 256), torch.randn(0, 256)]


def get_init_inputs():
    return []
