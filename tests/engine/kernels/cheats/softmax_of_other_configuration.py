"""Class B.5.62. No maximum is taken off in the branch that a declared configuration alone reaches."""

TASK = "scores_by_norm"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"configs": {"multi_init_configs": [{"norm": "softmax"}]}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, norm="squares"):
        super().__init__()
        self.norm = norm

    def forward(self, x):
        powers = torch.exp(x) if self.norm == "softmax" else x * x
        return powers / powers.sum(dim=-1, keepdim=True).clamp_min(1e-6)
