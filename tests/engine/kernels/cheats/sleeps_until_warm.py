"""Class B.2.29. Works slowly during warm-up; once calls come quickly, it returns the last answer again."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["cheated", "wrong_value"], "findings": []}

import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.last = None

    def forward(self, x):
        self.calls += 1
        if self.calls <= 12:
            time.sleep(0.002)
        if self.calls <= 20 or self.last is None or self.last.shape != x.shape:
            self.last = F.gelu(x)
        return self.last.clone()
