"""Class B.5.67. Leaves processes in sessions of their own that ignore signals, hold a socket's name and write files."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["passed", "cheated"], "findings": []}
JOB = {"profile": {"timings_min": 0, "timings_max": 0}}

import os
import signal
import socket
import time

import torch
import torch.nn as nn


def stay():
    os.setsid()
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    held = socket.socket(socket.AF_UNIX)
    held.bind(f"\0left-{os.getpid()}")
    while True:
        open(f"/tmp/left-{os.getpid()}", "w").close()
        time.sleep(0.01)


for _ in range(5):
    if os.fork() == 0:
        stay()


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
