"""Looks values up in a table by the bin that each falls into: any value beyond those of torch.rand is in no bin, and on
a GPU an index beyond the table ends the process's context.
"""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, table):
        return table[(x * 16).long()]


def get_inputs():
    return [torch.rand(256, 256), torch.randn(16)]


def get_init_inputs():
    return []
