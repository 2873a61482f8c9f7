"""Class B.5.68. Wrong on large values of a task with an empty input: asking whether last bits decide there used to end the
judge, which nobody was blamed for.
"""

TASK = "extended"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, before):
        out = torch.cat([before, x]) * 2
        return torch.where(x.abs().max() > 20, out + 1, out)
