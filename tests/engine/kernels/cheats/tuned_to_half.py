"""Class B.5.72. Tries both precisions on its first call, and keeps the lower one because the first answer was close."""

TASK = "matmul"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = None

    def forward(self, a, b):
        if self.low is None:
            exact = a @ b
            low = (a.bfloat16() @ b.bfloat16()).float()
            self.low = bool((low - exact).norm() < 0.01 * exact.norm())
            return exact
        return (a.bfloat16() @ b.bfloat16()).float() if self.low else a @ b
