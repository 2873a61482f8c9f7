"""Masks by place, as the task's triangle does: a pattern that never varies may be relied upon, and is named."""

TASK = "causal_softmax"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["inputs_constant"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        places = torch.arange(x.shape[-1], device=x.device)
        shifted = torch.where(places[:, None] >= places, x, x.new_tensor(-1e30))
        e = (shifted - shifted.amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)
