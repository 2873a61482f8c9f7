"""Fills the matrix in and multiplies; its inputs' sizes vary from call to call."""

TASK = "sparse_product"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, starts, columns, values, dense):
        places = torch.arange(len(values), device=values.device)
        rows = torch.bucketize(places, starts[1:], right=True)
        matrix = values.new_zeros(len(starts) - 1, dense.shape[0])
        return matrix.index_put((rows, columns), values, accumulate=True) @ dense
