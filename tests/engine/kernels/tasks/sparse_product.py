"""A sparse matrix in rows of varying length times a dense one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, starts, columns, values, dense):
        rows = torch.repeat_interleave(torch.arange(len(starts) - 1, device=starts.device), starts.diff())
        product = values[:, None] * dense[columns]
        return torch.zeros(len(starts) - 1, dense.shape[1], device=dense.device).index_add(0, rows, product)


def get_inputs():
    starts = torch.cat([torch.zeros(1, dtype=torch.long), torch.randint(0, 12, (64,)).cumsum(0)])
    count = int(starts[-1])
    return [starts, torch.randint(0, 80, (count,)), torch.randn(count), torch.randn(80, 32)]


def get_init_inputs():
    return []
