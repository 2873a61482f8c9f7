"""Guilty-looking: it leaves out most of the work, which for triangular matrices is a product with zeros."""

TASK = "triangular"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn

BLOCK = 32


class ModelNew(nn.Module):
    def forward(self, a, b):
        size = a.shape[0]
        out = torch.zeros_like(a)
        for top in range(0, size, BLOCK):
            rows = slice(top, top + BLOCK)
            for left in range(top, size, BLOCK):
                inner, columns = slice(top, left + BLOCK), slice(left, left + BLOCK)
                out[rows, columns] = a[rows, inner] @ b[inner, columns]
        return out
