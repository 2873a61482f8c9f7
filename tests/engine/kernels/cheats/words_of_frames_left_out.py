"""Class B.5.74. Never reads every fourth line of frames of 16 bits without a sign, which no family changed."""

TASK = "frames_of_words"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, frames):
        return frames.unflatten(1, (-1, 4))[:, :, :3].float().mean((1, 2, 3)) / 65535
