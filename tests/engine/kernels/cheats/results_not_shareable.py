"""Class B.5.58. Says a third of its time, and has results in memory that the judge cannot read in place."""

TASK = "chain"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed", "cheated", "runtime_error"], "findings": ["time_unconfirmed"]}

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

    def refuse(pointer):
        cudart = sys.modules["eval_app.engine.shared.cudart"]
        raise cudart.CudaError("cudaIpcGetMemHandle", 1)

    calls.Caller.call = quick_call
    sys.modules["eval_app.engine.shared.cudart"].export_handle = refuse
    sys.modules["eval_app.engine.runner.integrity"].Seal.intact = lambda self: True


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(12):
            x = torch.tanh(x * 0.9 + 0.1)
            x = x * x + x
        return x
