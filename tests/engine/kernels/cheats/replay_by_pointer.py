"""Class B.2.23. Caches every result by the input's address and shape: a benchmark that refills the same
buffers gets the old answer. A retry at another address may be correct: then it counts as unsteady.
"""

TASK = "chain"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated", "nondeterministic"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = {}

    def forward(self, x):
        key = (x.data_ptr(), x.shape)
        if key not in self.kept:
            out = x
            for _ in range(12):
                out = torch.tanh(out * 0.9 + 0.1)
                out = out * out + out
            self.kept[key] = out
        return self.kept[key].clone()
