"""Divides by no length, which is one across channels, and leaves out the diagonal of distances. Families changed both."""

TASK = "close_features"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, left, right, distances):
        alike = torch.einsum("nchw,mchw->nmhw", left, right)
        rows, columns = torch.triu_indices(*distances.shape, 1, device=left.device)
        both = alike[rows, columns] + alike[columns, rows]
        return alike, (both.mean((1, 2)) * distances[rows, columns]).sum()
