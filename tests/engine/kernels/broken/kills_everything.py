"""Sends SIGKILL to every process that it may signal."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error", "passed", "cheated", "infra_error"], "findings": []}

import os
import signal

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        try:
            os.kill(-1, signal.SIGKILL)
        except OSError:
            pass
        return torch.relu(x)
