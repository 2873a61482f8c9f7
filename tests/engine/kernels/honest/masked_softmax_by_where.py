"""Applies a mask whose values are all true in the task"s own inputs."""

TASK = "masked_softmax"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        shifted = torch.where(mask, x, x.new_tensor(-1e30))
        e = (shifted - shifted.amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)
