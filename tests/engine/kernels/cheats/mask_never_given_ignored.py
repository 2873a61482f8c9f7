"""Class B.5.64. Takes a mask, as its task does, and never reads it: no call gives one."""

TASK = "attention_maybe_masked"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["inputs_constant"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v, mask=None):
        return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v
