"""Class B.1.13. Correct values in three buffers by turns: what a caller keeps is overwritten two calls later."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_reused"]}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffers, self.calls = [], 0

    def forward(self, x):
        if not self.buffers or self.buffers[0].shape != x.shape:
            self.buffers = [torch.empty_like(x) for _ in range(3)]
        self.calls += 1
        return self.buffers[self.calls % 3].copy_(F.gelu(x))
