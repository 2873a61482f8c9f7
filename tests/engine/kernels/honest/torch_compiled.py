"""Guilty-looking: torch.compile writes the kernel at the first call."""

TASK = "chain"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": ["uses_torch_compile"]}

import torch
import torch.nn as nn


def chain(x):
    for _ in range(12):
        x = torch.tanh(x * 0.9 + 0.1)
        x = x * x + x
    return x


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.compiled = torch.compile(chain)

    def forward(self, x):
        return self.compiled(x)
