"""A table that the reference gives out in every call, as the program does: both are the module's own buffer."""

TASK = "steps_given_out"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.linspace(0, 1, 256))
        self.doubled = None

    def forward(self, x):
        if self.doubled is None:
            self.doubled = self.steps + self.steps
        return torch.add(self.steps, x), self.steps, self.doubled
