"""Takes any number of tensors: a task that draws another number of inputs each time ended the judge."""

TASK = "parts_joined"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, parts, mask):
        result = torch.empty(sum(len(part) for part in parts), mask.numel(), device=mask.device)
        start = 0
        for part in parts:
            torch.mul(part, mask, out=result[start : start + len(part)])
            start += len(part)
        return result
