"""Class B.1.12. Gives its input back for a copy of it: equal values used to excuse shared memory, which is to be looked at."""

TASK = "copied"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["output_aliases_input"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x
