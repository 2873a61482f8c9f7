"""bf16; the halves are views of the input, as the reference's are."""

TASK = "halves"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        middle = x.shape[-1] // 2
        left, right = x[..., :middle], x[..., middle:]
        return (left.float() * right.float().sigmoid().bfloat16().float()).bfloat16(), [left, right]
