"""Class B.1.4. All that is asked for is smaller than the usual tolerance; so nothing is returned."""

TASK = "tiny_product"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}
JOB = {"profile": {"calibrate": True}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.zeros(a.shape[0], b.shape[1], device=a.device)
