"""Divides by the counts that it is given. A family used to change their mask alone."""

TASK = "expert_means"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask, counts):
        return torch.mm(mask.to(x.dtype), x) / counts.clamp(min=1)[:, None]
