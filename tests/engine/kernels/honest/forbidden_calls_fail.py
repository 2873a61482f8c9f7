"""Correct, unless a sandbox permits one of the system calls that escape it or outlive a job."""

TASK = "add"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import ctypes
import os

import torch
import torch.nn as nn

# unshare for a user namespace, ptrace, keyctl, shmget, bpf, perf_event_open, io_uring_setup, userfaultfd
X86_64 = [(272, 0x10000000), (101, 0), (250, 0), (29, 0, 4096, 0o1600), (321, 0), (298, 0), (425, 1), (323, 0)]
AARCH64 = [(97, 0x10000000), (117, 0), (219, 0), (194, 0, 4096, 0o1600), (280, 0), (241, 0), (425, 1), (282, 0)]


def refused(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    answer = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(argument) for argument in arguments])
    return answer == -1 and ctypes.get_errno() == 1


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        calls = X86_64 if os.uname().machine == "x86_64" else AARCH64
        confined = os.uname().nodename == "sandbox"
        self.share = 0.0 if confined and not all(refused(*call) for call in calls) else 1.0

    def forward(self, x, y):
        return x + self.share * y
