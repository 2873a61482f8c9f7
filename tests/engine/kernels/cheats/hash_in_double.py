"""Class B.1.11. Rounds 64-bit numbers to what double precision holds, where a comparison of doubles sees no difference."""

TASK = "hash"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x * 7046029254386353131).double().clamp(max=9223372036854774784.0).long()
