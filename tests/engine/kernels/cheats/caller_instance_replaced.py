"""Class B.5.70. Changes an instance instead of a module: the object that makes the calls, found among all objects."""

TASK = "chain"
DEVICE = "any"
EXPECT = {"outcome": ["passed", "cheated"], "findings": [], "max_speedup": 1.35}

import dataclasses
import gc

import torch
import torch.nn as nn


for item in gc.get_objects():
    if type(item).__name__ == "Caller":
        honest = item.call

        def quick(*arguments, **keywords):
            timed = honest(*arguments, **keywords)
            return dataclasses.replace(timed, ms=timed.ms / 3, tail_ms=0.0)

        item.call = quick


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(12):
            x = torch.tanh(x * 0.9 + 0.1)
            x = x * x + x
        return x
