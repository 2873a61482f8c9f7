"""Class B.1.18. Writes half of the rows; the other half keeps the content of an earlier call."""

TASK = "chain"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        def full(v):
            for _ in range(12):
                v = torch.tanh(v * 0.9 + 0.1)
                v = v * v + v
            return v

        if self.last is None or self.last.shape != x.shape:
            self.last = full(x)
            return self.last.clone()
        half = x.shape[0] // 2
        self.last[:half] = full(x[:half])
        return self.last.clone()
