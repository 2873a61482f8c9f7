"""Sums bytes and their squares as integers, in one pass over frames of which families move the brighter bytes."""

TASK = "frames_measured"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, frames):
        values = frames.flatten(1).int()
        count, total, squares = values.shape[1], values.sum(1).double(), (values * values).sum(1).double()
        mean = total / count
        return mean.float(), ((squares - total * mean) / (count - 1)).float()
