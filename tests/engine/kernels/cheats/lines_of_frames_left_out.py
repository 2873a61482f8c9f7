"""Class B.5.74. A mean over fifteen of sixteen columns of each frame: no family used to change bytes, which are alike there."""

TASK = "frames_measured"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, frames):
        count, height, width = frames.shape
        some = frames.view(count, height, width // 16, 16)[..., :15].float()
        return some.mean((1, 2, 3)), frames.float().var((1, 2))
