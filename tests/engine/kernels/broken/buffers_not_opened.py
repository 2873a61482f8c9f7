"""The runner's process cannot open the buffers that it shares with the judge, so no call is ever made."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["runtime_error"], "findings": []}

import sys

import torch
import torch.nn as nn

arena = sys.modules.get("eval_app.engine.shared.arena")
if arena is not None:

    def refuse(*_):
        raise RuntimeError("no memory can be shared here")

    arena.Arena.open_shared = refuse


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
