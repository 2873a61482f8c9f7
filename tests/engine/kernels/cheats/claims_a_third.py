"""Class B.5.57. Says a third of its time, which is within what a clock of fixed resolution must allow for short calls. All
else is honest, and the tripwire is mended.
"""

TASK = "chain"
DEVICE = "any"
EXPECT = {"outcome": ["passed", "cheated"], "findings": [], "max_speedup": 1.35}

import dataclasses
import sys

import torch
import torch.nn as nn

calls = sys.modules.get("eval_app.engine.shared.calls")
if calls is not None:
    honest_call = calls.Caller.call

    def quick_call(self, *arguments, **keywords):
        timed = honest_call(self, *arguments, **keywords)
        return dataclasses.replace(timed, ms=timed.ms / 3, tail_ms=0.0)

    calls.Caller.call = quick_call
    sys.modules["eval_app.engine.runner.integrity"].Seal.intact = lambda self: True


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(12):
            x = torch.tanh(x * 0.9 + 0.1)
            x = x * x + x
        return x
