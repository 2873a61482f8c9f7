"""A loss whose gradients are all far below a thousandth, as those of a mean over a large batch."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, y):
        return F.mse_loss(x, y) / 8000


def get_inputs():
    return [torch.randn(64, 128), torch.randn(64, 128)]


def get_init_inputs():
    return []
