"""Class B.5.61. Has the kernel continue it by a timer of its own, to compute while it is to stop for the reference."""

TASK = "chain"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["time_unconfirmed"]}

import ctypes
import signal

import torch
import torch.nn as nn

# Longer than a call, so that it comes again and again after the last one alone, and in the reference's turn.
LATER_NS = 4_000_000 if torch.cuda.is_available() else 10_000_000


class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("rest", ctypes.c_char * 52)]


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.libc, self.timer = ctypes.CDLL(None), ctypes.c_void_p()
        event = Event(None, signal.SIGCONT)
        self.libc.timer_create(1, ctypes.byref(event), ctypes.byref(self.timer))
        signal.signal(signal.SIGCONT, lambda *_: sum(bytes(2**17)))

    def forward(self, x):
        for _ in range(12):
            x = torch.tanh(x * 0.9 + 0.1)
            x = x * x + x
        until_the_next_call = (ctypes.c_long * 4)(0, LATER_NS, 0, LATER_NS)
        self.libc.timer_settime(self.timer, 0, until_the_next_call, None)
        return x
