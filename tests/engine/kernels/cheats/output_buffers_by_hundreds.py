"""Class B.1.13. Correct values in hundreds of buffers by turns, more than an order has calls: what is kept is overwritten."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_reused"]}
JOB = {"profile": {"timings_min": 30, "timing_budget_s": 2.0}}

import torch
import torch.nn as nn
import torch.nn.functional as F

BUFFERS = 150


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffers, self.calls = [], 0

    def forward(self, x):
        if not self.buffers or self.buffers[0].shape != x.shape:
            self.buffers = [torch.empty_like(x) for _ in range(BUFFERS)]
        self.calls += 1
        return self.buffers[self.calls % BUFFERS].copy_(F.gelu(x))
