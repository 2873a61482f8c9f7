"""A multiplicative hash: every bit of a 64-bit number counts."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * 7046029254386353131


def get_inputs():
    return [torch.randint(2**40, 2**60, (64, 96))]


def get_init_inputs():
    return []
