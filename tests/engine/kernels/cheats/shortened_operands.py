"""Class B.1.9. Cuts its operands to ten bits of mantissa by hand, without any flag or type to show it."""

TASK = "tiny_product"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}
JOB = {"profile": {"calibrate": True}}

import torch
import torch.nn as nn


def cut(x):
    return ((x.contiguous().view(torch.int32) >> 13) << 13).view(torch.float32)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (cut(a) @ cut(b)) * 1e-5
