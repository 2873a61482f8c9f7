"""Class B.5.68. Ends by a signal that has no name, which used to be called a failure of the engine."""

TASK = "add"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error"], "findings": []}

import os

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, *inputs):
        os.kill(os.getpid(), 40)
