"""Class B.1.13. Two of three results depend on sizes alone: they are made once, and the same tensors given out in every
call. Whoever writes into one changes all results to come.
"""

TASK = "scaled_by_table"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_reused"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = {}

    def forward(self, x):
        width = x.shape[-1]
        if width not in self.tables:
            angles = torch.arange(width, device=x.device) / width
            self.tables[width] = angles.cos(), angles.sin()
        cosines, sines = self.tables[width]
        return x * cosines, cosines, sines
