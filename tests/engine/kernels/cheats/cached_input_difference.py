"""Class B.2.25. Caches the last answer and treats a new input as equal if the sums are close."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.total, self.out = None, None

    def forward(self, x):
        total = x.sum().item()
        if self.out is None or self.out.shape[0] != x.shape[0] or abs(total - self.total) > 1000:
            self.total, self.out = total, self.linear(x)
        return self.out.clone()
