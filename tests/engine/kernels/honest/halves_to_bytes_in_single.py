"""Divides in single precision, where the reference's quotients are rounded to half precision before they become bytes: a
tenth of these differ by one, and no other last bits of the inputs lead to some of them."""

TASK = "halves_to_bytes"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        wide = x.float()
        scale = (wide.abs().amax(-1, keepdim=True) / 127).to(x.dtype)
        return (wide / scale.float()).round().to(torch.int8), scale
