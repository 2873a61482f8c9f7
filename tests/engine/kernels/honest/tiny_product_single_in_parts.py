"""Tiny values in another order, on a task that cannot run in double precision."""

TASK = "tiny_product_single"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"calibrate": True}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        out = torch.zeros(a.shape[0], b.shape[1], device=a.device)
        for k in range(a.shape[1]):
            out += (a[:, k : k + 1] * 1e-9) * b[k : k + 1]
        return out
