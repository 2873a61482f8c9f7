"""Class B.2.20. Launches on its own stream and never joins it: events on the caller's see an empty window."""

TASK = "matmul"
DEVICE = "cuda"
EXPECT = {"outcome": ["cheated", "wrong_value", "nondeterministic"], "findings": ["work_after_return"]}

import torch
import torch.nn as nn

SIDE = None


class ModelNew(nn.Module):
    def forward(self, a, b):
        global SIDE
        SIDE = SIDE or torch.cuda.Stream()
        with torch.cuda.stream(SIDE):
            return a @ b
