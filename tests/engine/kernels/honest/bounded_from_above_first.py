"""Relies on a lower bound below the upper one, and on corners in order: families of values exchanged them."""

TASK = "bounded"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"families": ["uniform", "scaled_up", "one_hot", "integers", "mixed", "spikes"]}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, low, high, boxes):
        left, top, right, bottom = boxes.unbind(1)
        return torch.maximum(torch.minimum(x, high), low), (right - left) * (bottom - top)
