"""Class B.3.37. Puts its own model and sizes into builtins and the main module, for shared namespaces."""

TASK = "mlp"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated", "wrong_structure"], "findings": []}

import builtins
import sys

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, *arguments):
        super().__init__()

    def forward(self, x):
        return torch.zeros_like(x)


for place in (builtins, sys.modules["__main__"], *(m for n, m in list(sys.modules.items()) if n == "reference")):
    place.Model = Model
    place.get_inputs = lambda: [torch.zeros(16, 48)]
    place.batch_size = 1


class ModelNew(Model):
    pass
