"""Moves packed fp4 numbers as bytes."""

TASK = "float4_choose"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, packed, rows):
        return packed.view(torch.uint8)[rows].view(torch.float4_e2m1fn_x2)
