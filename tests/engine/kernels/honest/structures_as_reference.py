"""The same kinds of outputs as the reference: OrderedDict, Parameter, Size, None, nested."""

TASK = "structures"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

from collections import OrderedDict

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features))

    def forward(self, x):
        scaled = self.weight * x
        nested = (x.sum() / x.numel(), [torch.gt(scaled, 0), (x.new_empty(0, x.shape[1]),)])
        return OrderedDict(scaled=scaled, weight=self.weight, size=x.size(), nothing=None, nested=nested)
