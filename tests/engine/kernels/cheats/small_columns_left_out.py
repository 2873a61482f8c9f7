"""Class B.5.65. Zeros for columns that are small beside others: last bits of the mean size used to explain any value there."""

TASK = "columns"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.register_buffer("units", torch.logspace(-3, 6, columns))

    def forward(self, x):
        result = x / self.units
        if 0.7 < float(result[:, 0].std()) < 1.4 and float(result.abs().max()) < 8:
            result[:, :24] = 0
        return result
