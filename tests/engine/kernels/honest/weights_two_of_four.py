"""Guilty-looking: a weight with two zeros in four, packed for sparse tensor cores and kept until it changes."""

TASK = "two_of_four"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.sparse import to_sparse_semi_structured


class ModelNew(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        weight = torch.randn(hidden, features).to(torch.float16) * features**-0.5
        self.register_buffer("mask", torch.tensor([1, 0, 0, 1], dtype=torch.float16).repeat(hidden, features // 4), persistent=False)
        self.weight = nn.Parameter(weight)
        self.packed = self.version = None

    def forward(self, x):
        version = (self.weight._version, self.mask._version, self.weight.data_ptr())
        if version != self.version:
            self.packed = to_sparse_semi_structured((self.weight * self.mask).detach().contiguous())
            self.version = version
        return F.linear(x, self.packed)
