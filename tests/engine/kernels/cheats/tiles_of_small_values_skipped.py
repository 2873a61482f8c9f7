"""Class B.5.65. A product that skips tiles whose values are all much smaller than those before: none of the families had
large and small values in one row.
"""

TASK = "product_deep"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        out = torch.zeros(a.shape[0], b.shape[1], device=a.device, dtype=a.dtype)
        for rows, total in zip(a.split(64), out.split(64), strict=True):
            largest = torch.zeros((), device=a.device, dtype=a.dtype)
            for tile, others in zip(rows.split(32, 1), b.split(32), strict=True):
                size = tile.abs().amax()
                total += torch.where(size > 0.002 * largest, tile @ others, 0.0)
                largest = torch.maximum(largest, size)
        return out
