"""Class B.5.58. Writes a quarter of the bytes where many calls are timed together: copying them used to widen them."""

TASK = "signs"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_structure"], "findings": []}

import sys

import torch
import torch.nn as nn


def is_ordered(frame):
    while frame and frame.f_code.co_name != "call_all":
        frame = frame.f_back
    return frame is not None


class ModelNew(nn.Module):
    def forward(self, x):
        if is_ordered(sys._getframe()):
            return (x > 0).to(torch.int8).mul_(2).sub_(1)
        return torch.where(x > 0, 1.0, -1.0)
