"""Starts 600 sleeping processes at import and at every call: a bounded stand-in for an unbounded fork bomb.
Whatever its verdict, the next job on this lane must pass.
"""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error", "timeout", "wrong_value", "cheated", "load_error", "infra_error", "passed", "out_of_memory"], "findings": []}

import os
import time

import torch
import torch.nn as nn


def bomb():
    for _ in range(600):
        try:
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
        except OSError:
            return


bomb()


class ModelNew(nn.Module):
    def forward(self, x):
        bomb()
        return torch.relu(x)
