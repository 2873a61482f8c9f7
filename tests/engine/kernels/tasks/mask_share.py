"""The share of the elements that a mask chooses, more or fewer in each draw."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, mask):
        return mask.float().mean()


def get_inputs():
    return [torch.rand(2048, 1024) < torch.empty(()).uniform_(0.97, 0.99)]


def get_init_inputs():
    return []
