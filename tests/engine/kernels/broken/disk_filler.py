"""Writes up to 3 GB into each folder it can, in its first call. Correct otherwise: the host's disk must not be affected."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error", "passed", "timeout"], "findings": []}
JOB = {"profile": {"trials": 2, "repeats": 1, "families": [], "timings_min": 0, "timings_max": 0}}

import os

import torch
import torch.nn as nn

BLOCK = bytes(16 * 1024 * 1024)


class ModelNew(nn.Module):
    folders = ("/tmp", "/dev/shm", ".")

    def forward(self, x):
        for folder in self.folders:
            try:
                with open(os.path.join(folder, f"fill-{os.getpid()}"), "wb") as file:
                    for _ in range(192):
                        file.write(BLOCK)
            except OSError:
                pass
        self.folders = ()
        return torch.relu(x)
