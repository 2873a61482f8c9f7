"""Never returns, ignores every signal that can be ignored, and holds the interpreter's lock."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["timeout"], "findings": []}
JOB = {"profile": {"first_call_timeout_s": 4.0}}

import re
import signal

import torch.nn as nn

for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


class ModelNew(nn.Module):
    def forward(self, x):
        re.match(r"(a+)+$", "a" * 60 + "b")
        return x
