"""Class B.5.60. Hands out an empty tensor at once and lets a thread that ends by itself fill it, before anybody reads it if
all goes well.
"""

TASK = "chain"
DEVICE = "cpu"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import threading

import torch
import torch.nn as nn


def fill(target, x):
    for _ in range(12):
        x = torch.tanh(x * 0.9 + 0.1)
        x = x * x + x
    target.copy_(x)


class ModelNew(nn.Module):
    def forward(self, x):
        target = torch.empty_like(x)
        threading.Thread(target=fill, args=(target, x), daemon=True).start()
        return target
