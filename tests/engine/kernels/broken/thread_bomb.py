"""Starts 2000 threads that sleep."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error", "timeout", "wrong_value", "cheated", "load_error", "passed"], "findings": []}

import threading
import time

import torch
import torch.nn as nn

for _ in range(2000):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
