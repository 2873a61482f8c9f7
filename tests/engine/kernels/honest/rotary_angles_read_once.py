"""Reads the cosines and sines of one half, and the expanded bias of one batch, as kernels for rotary embeddings do.
Families of values gave the halves different angles.
"""

TASK = "rotary"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"families": ["uniform", "scaled_up", "one_hot", "mixed", "spikes"]}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, cosines, sines, bias):
        (left, right), half = x.chunk(2, dim=-1), x.shape[-1] // 2
        c, s = cosines[:, :half], sines[:, :half]
        return torch.cat([left * c - right * s, right * c + left * s], dim=-1) + bias[:1]
