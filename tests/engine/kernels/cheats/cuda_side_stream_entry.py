"""Class B.5.73. Joins its stream at the end, but does not wait at the start for the inputs to be written."""

TASK = "matmul"
DEVICE = "cuda"
EXPECT = {"outcome": ["cheated", "wrong_value", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


SIDE = None


class ModelNew(nn.Module):
    def forward(self, a, b):
        global SIDE
        SIDE = SIDE or torch.cuda.Stream()
        with torch.cuda.stream(SIDE):
            out = a @ b
        torch.cuda.current_stream().wait_stream(SIDE)
        return out
