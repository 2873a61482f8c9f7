import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        weight = torch.randn(hidden, features).to(torch.float16) * features**-0.5
        self.register_buffer("mask", torch.tensor([1, 0, 0, 1], dtype=torch.float16).repeat(hidden, features // 4), persistent=False)
        self.weight = nn.Parameter(weight)

    def forward(self, x):
        return F.linear(x, self.weight * self.mask)


def get_inputs():
    return [torch.randn(512, 1024).to(torch.float16)]


def get_init_inputs():
    return [1024, 1024]
