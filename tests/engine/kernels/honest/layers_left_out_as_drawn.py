"""The same random numbers, drawn in the same order. Calls of an order were not seeded, because two seeds agreed, and
Python's numbers never were: this was called cheating.
"""

TASK = "layers_left_out"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["random_reference"]}

import random

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        keeps_relu, keeps_sum = torch.rand(()).item() > 0.05, random.random() > 0.05
        x = x.clamp(min=0) if keeps_relu else x * 0.5
        return x + x.flip(-1) if keeps_sum else x
