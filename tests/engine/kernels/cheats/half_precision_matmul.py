"""Class B.1.9. An fp32 product computed on fp16 operands."""

TASK = "matmul"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (a.half() @ b.half()).float()
