"""Class B.5.64. Keeps its answer to each input, of which the task has eight."""

TASK = "power_of_one"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["time_unconfirmed"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.matrices = nn.Parameter(torch.randn(8, 128, 128) / 11)
        self.kept = {}

    def forward(self, number):
        key = int(number)
        if key not in self.kept:
            power = self.matrices[number]
            for _ in range(3):
                power = torch.tanh(power @ power)
            self.kept[key] = power
        return self.kept[key].clone()
