import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mask):
        return torch.softmax(x.masked_fill(~mask, float("-inf")), dim=-1)


def get_inputs():
    return [torch.randn(4, 32, 32), torch.ones(32, 32, dtype=torch.bool).tril()]


def get_init_inputs():
    return []
