"""Class B.5.62. No maximum is taken off in orders of one call, which hardly ever have values that overflow. On a busy host
there may be too few orders to find it, and then none confirms its time.
"""

TASK = "softmax_large"
DEVICE = "any"
EXPECT = {"outcome": ["cheated", "wrong_value", "nondeterministic", "passed"], "findings": [], "max_speedup": 0.0}
JOB = {"profile": {"timings_min": 3, "timings_max": 5, "timing_budget_s": 2.0, "families": ["scaled_up"]}}

import sys

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        if "call_all" in [sys._getframe(depth).f_code.co_name for depth in (1, 2, 3, 4)]:
            powers = torch.exp(x)
            return powers / powers.sum(dim=-1, keepdim=True)
        return torch.softmax(x, dim=-1)
