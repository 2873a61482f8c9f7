"""The transposed answer."""

TASK = "matmul"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_structure"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (a @ b).t().contiguous()
