"""Negates its input twice, which leaves the bits as they were."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        x.neg_()
        y = torch.clamp(x, max=0).neg()
        x.neg_()
        return y
