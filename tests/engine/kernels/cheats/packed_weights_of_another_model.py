"""Class B.5.75. Packed weights that are kept by shape and version for all models: a second one, as each layer of a network
is, computes with those of the first.
"""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn

PACKED = {}


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        weight = self.linear.weight
        key = tuple(weight.shape), weight._version
        if key not in PACKED:
            PACKED[key] = weight.detach().t().contiguous()
        return torch.addmm(self.linear.bias, x, PACKED[key])
