"""Class B.5.67. Leaves trees of 1,500 folders where later jobs work: too deep to be deleted by recursion or by path."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"timings_min": 0, "timings_max": 0}}

import os

import torch
import torch.nn as nn

home = os.getcwd()
for start in ("/tmp", "/dev/shm", home):
    os.chdir(start)
    for _ in range(1500):
        os.mkdir("deep")
        os.chdir("deep")
os.chdir(home)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
