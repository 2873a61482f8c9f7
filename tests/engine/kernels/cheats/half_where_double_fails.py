"""Class B.5.66. A product in bfloat16, on a task that cannot run in double precision for a calibration."""

TASK = "tiny_product_single"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}
JOB = {"profile": {"calibrate": True}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (a.bfloat16() @ b.bfloat16()).float() * 1e-9
