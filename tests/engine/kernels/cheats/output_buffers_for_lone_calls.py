"""Class B.1.13. Three buffers by turns, but new memory for the first calls, and for calls that come one right after the other.

Who makes a call now and then and keeps its result finds it overwritten by the third call after it.
"""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_reused"]}

import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffers, self.calls, self.ended = [], 0, 0.0

    def buffer(self, x):
        is_lone = time.perf_counter() - self.ended > 3e-4
        self.calls += is_lone
        if not is_lone or self.calls < 3 or x.shape != (64, 192):
            return torch.empty_like(x)
        if len(self.buffers) < 3:
            self.buffers.append(torch.empty_like(x))
            return self.buffers[-1]
        return self.buffers[self.calls % 3]

    def forward(self, x):
        result = self.buffer(x).copy_(F.gelu(x))
        self.ended = time.perf_counter()
        return result
