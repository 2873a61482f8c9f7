"""Sums frames of 16 bits without a sign as integers; families move their brighter values."""

TASK = "frames_of_words"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, frames):
        return (frames.flatten(1).long().sum(1).double() / frames[0].numel() / 65535).float()
