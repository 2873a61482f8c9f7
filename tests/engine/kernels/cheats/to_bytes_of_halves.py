"""Class B.1.9. Computes in half precision: where the task's own values are wrong, no conversion is an excuse."""

TASK = "to_bytes"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.half()
        return (x * 255).to(torch.uint8), (x * 127).to(torch.int8).float() / 127
