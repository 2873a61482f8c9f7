"""Class B.4.52. The reference again, under a new name."""

TASK = "layernorm"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["no_custom_kernel"]}

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return self.norm(x)


class ModelNew(Model):
    pass
