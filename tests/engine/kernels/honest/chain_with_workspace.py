"""Guilty-looking: a workspace that is kept between calls; the output is fresh each time."""

TASK = "chain"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.work = None

    def forward(self, x):
        if self.work is None or self.work.shape != x.shape or self.work.device != x.device:
            self.work = torch.empty_like(x)
        work = self.work.copy_(x)
        for _ in range(12):
            work.mul_(0.9).add_(0.1).tanh_()
            work.addcmul_(work, work)
        return work.clone()
