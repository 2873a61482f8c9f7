"""An exception whose own text raises another one."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error"], "findings": []}

import torch.nn as nn


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("not even this")

    __repr__ = __str__


class ModelNew(nn.Module):
    def forward(self, x):
        raise Unspeakable
