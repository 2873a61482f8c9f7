"""Quantises rows in place by another rounding: the values left in the input were compared exactly, beside a returned
result, and called an input overwritten otherwise than the reference does.
"""

TASK = "rows_quantised"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        peak = x.abs().amax(-1, keepdim=True)
        x.mul_(127 / peak).round_()
        return peak * (1 / 127)
