"""Class B.5.61. A child process keeps the processor's caches and cores busy whenever no call is made, so that the reference
is slow and the candidate is not.
"""

TASK = "chain"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed", "cheated"], "findings": [], "max_speedup": 1.5}

import mmap
import os

import torch
import torch.nn as nn

calling = mmap.mmap(-1, 1)


def keep_busy():
    os.setsid()
    block = bytearray(32 * 2**20)
    while os.getppid() > 1:
        if calling[0] == 0:
            block[::64] = bytes(len(block[::64]))


for _ in range(2):
    if os.fork() == 0:
        keep_busy()
        os._exit(0)


class ModelNew(nn.Module):
    def forward(self, x):
        calling[0] = 1
        for _ in range(12):
            x = torch.tanh(x * 0.9 + 0.1)
            x = x * x + x
        calling[0] = 0
        return x
