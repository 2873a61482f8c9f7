"""Class B.1.11. Not-a-number everywhere: a comparison that treats it as equal, or counts what is above a limit, passes it."""

TASK = "row_sum"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.full((x.shape[0],), float("nan"), device=x.device, dtype=x.dtype)
