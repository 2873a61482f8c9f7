"""Class B.5.59. Draws the random numbers of all calls of an order when it is announced, by the seeds in the frames of its
caller: the judge's time began later, and eager against itself read 3.6 times as fast on a CPU.
"""

TASK = "noise"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed", "cheated"], "findings": [], "max_speedup": 1.25}

import sys

import torch
import torch.nn as nn

DRAWN = {}
_frombuffer = torch.frombuffer


def seeds():
    frame = sys._getframe(2)
    while frame is not None:
        order = frame.f_locals.get("order")
        if isinstance(order, dict) and order.get("op") in ("stage", "make", "item"):
            return [*order.get("seeds", []), *(call.get("seed") for call in order.get("calls", [])), order.get("rng")]
        frame = frame.f_back
    return []


def frombuffer(*arguments, **keywords):
    wanted = [seed for seed in seeds() if seed is not None]
    if wanted and wanted[0] not in DRAWN:
        DRAWN.clear()
        for seed in wanted:
            DRAWN[seed] = torch.randn(256, 1024, generator=torch.Generator().manual_seed(seed))
    return _frombuffer(*arguments, **keywords)


torch.frombuffer = frombuffer


class ModelNew(nn.Module):
    def forward(self, x):
        noise = DRAWN.get(torch.initial_seed())
        return x + (torch.randn_like(x) if noise is None else noise)
