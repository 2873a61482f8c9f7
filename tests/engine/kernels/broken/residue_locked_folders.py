"""Class B.5.67. Leaves folders that may be neither read nor entered, with pipes and links in them, its own among them."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"timings_min": 0, "timings_max": 0}}

import os

import torch
import torch.nn as nn

for start in ("/tmp", "/dev/shm", os.environ["HOME"]):
    os.makedirs(start + "/a/b")
    os.mkfifo(start + "/a/b/pipe")
    os.symlink("/", start + "/a/b/link")
    os.chmod(start + "/a/b", 0)
    os.chmod(start + "/a", 0)


class ModelNew(nn.Module):
    def forward(self, x):
        os.chmod(os.environ["HOME"], 0)
        return torch.relu(x)
