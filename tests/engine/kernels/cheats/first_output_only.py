"""Class B.1.11. The first output is correct, the second is never computed."""

TASK = "mean_var"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.mean(dim=1), torch.ones(x.shape[0], device=x.device)
