"""Class B.2.23. Caches products by the addresses and version counters of both operands. A retry at another
address may be correct.
"""

TASK = "matmul"
DEVICE = "cuda"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = {}

    def forward(self, a, b):
        key = (a.data_ptr(), b.data_ptr(), a.shape, b.shape)
        if key not in self.kept:
            self.kept[key] = a @ b
        return self.kept[key].clone()
