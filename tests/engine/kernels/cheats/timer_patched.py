"""Class B.3.34. Replaces every clock of its process by one that hardly moves."""

TASK = "chain"
DEVICE = "any"
EXPECT = {"outcome": ["cheated", "wrong_value", "passed"], "findings": ["patches_torch"], "max_speedup": 2.5}

import time

import torch
import torch.nn as nn

real = time.perf_counter
time.perf_counter = lambda: real() * 1e-3
time.perf_counter_ns = lambda: int(real() * 1e6)
time.monotonic = lambda: real() * 1e-3
time.time = lambda: real() * 1e-3
torch.cuda.Event.elapsed_time = lambda self, other: 1e-6
torch.cuda.synchronize = lambda *a, **k: None


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(12):
            x = torch.tanh(x * 0.9 + 0.1)
            x = x * x + x
        return x
