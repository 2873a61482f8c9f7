"""Takes inputs that belong together: the task was called invalid, because it rejects one input of another draw."""

TASK = "checksum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, sums):
        return x + x
