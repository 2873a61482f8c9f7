"""Class B.5.69. Holds 4 GiB in memfds that no process maps, of which resident memory shows nothing."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["out_of_memory"], "findings": []}
# A busy machine with little memory to spare writes 4 GiB slowly, and its limit must be met before the deadline.
JOB = {"profile": {"load_timeout_s": 90.0, "total_timeout_s": 120.0}}

import os
import time

import torch
import torch.nn as nn

held = [os.memfd_create(str(number)) for number in range(2)]
for file in held:
    for _ in range(64):
        os.write(file, bytes(2**25))
time.sleep(5)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
