"""Never unpacks the weights into one matrix: even and odd features are two products."""

TASK = "int4_linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.register_buffer("packed", torch.empty(features_out, features_in // 2, dtype=torch.uint8))
        self.register_buffer("scale", torch.empty(features_out, 1))

    def forward(self, x):
        low, high = (self.packed & 15).float() - 8, (self.packed >> 4).float() - 8
        return (x[:, ::2] @ low.t() + x[:, 1::2] @ high.t()) * self.scale.t()
