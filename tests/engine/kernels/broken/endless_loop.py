"""Never comes back."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["timeout"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        while True:
            pass
