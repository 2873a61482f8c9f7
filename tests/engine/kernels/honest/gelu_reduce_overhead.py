"""torch.compile with CUDA graphs: the next call overwrites the output, by design."""

TASK = "gelu"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed", "broken_promise"], "findings": ["uses_torch_compile"]}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gelu = torch.compile(lambda x: F.gelu(x), mode="reduce-overhead")

    def forward(self, x):
        return self.gelu(x)
