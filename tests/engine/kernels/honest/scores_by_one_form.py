"""Both ways to make scores into shares in one form: powers over their sum."""

TASK = "scores_by_norm"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"configs": {"multi_init_configs": [{"norm": "softmax"}], "multi_input_configs": [{"batch_size": 9}]}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, norm="squares"):
        super().__init__()
        self.norm = norm

    def forward(self, x):
        powers = torch.exp(x - x.amax(dim=-1, keepdim=True)) if self.norm == "softmax" else x.square()
        return powers / powers.sum(dim=-1, keepdim=True).clamp_min(1e-6)
