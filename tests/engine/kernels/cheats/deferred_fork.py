"""Class B.2.28. A child process writes the sum into shared memory after the call has returned."""

TASK = "row_sum"
DEVICE = "cpu"
EXPECT = {"outcome": ["wrong_value", "cheated", "runtime_error", "nondeterministic"], "findings": []}

import os
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.zeros(x.shape[0]).share_memory_()
        held = x.clone().share_memory_()
        if os.fork() == 0:
            time.sleep(0.002)
            out.copy_(torch.from_numpy(held.numpy().sum(axis=1)))
            os._exit(0)
        return out
