"""Class B.1.9. A product in bfloat16 whose errors are small because the values are."""

TASK = "tiny_product"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}
JOB = {"profile": {"calibrate": True}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (a.bfloat16() @ b.bfloat16()).float() * 1e-5
