"""Class B.1.13. Each call gives out the same memory, under a declared configuration alone."""

TASK = "scores_by_norm"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_reused"]}
JOB = {"configs": {"multi_init_configs": [{"norm": "softmax"}]}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, norm="squares"):
        super().__init__()
        self.norm, self.buffer = norm, None

    def forward(self, x):
        if self.norm == "softmax":
            if self.buffer is None:
                self.buffer = torch.empty_like(x)
            return torch.softmax(x, -1, out=self.buffer)
        return x.square() / x.square().sum(dim=-1, keepdim=True).clamp_min(1e-6)
