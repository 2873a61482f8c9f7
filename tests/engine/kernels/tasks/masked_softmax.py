import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mask):
        return torch.softmax(x.masked_fill(~mask, float("-inf")), dim=-1)


def get_inputs():
    return [torch.randn(32, 64), torch.ones(32, 64, dtype=torch.bool)]


def get_init_inputs():
    return []
