"""Class B.5.67. Leaves 20,000 files and takes the names that a job's folder might have."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"timings_min": 0, "timings_max": 0}}

import os

import torch
import torch.nn as nn

for number in range(20_000):
    os.mknod(f"/dev/shm/{number}")
for number in range(100):
    os.mkdir(f"/tmp/job-{number}")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
