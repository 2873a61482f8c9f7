"""An assertion on the device that fails and poisons the context."""

TASK = "relu"
DEVICE = "cuda"
EXPECT = {"outcome": ["runtime_error", "illegal_memory"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        index = torch.full((4,), 10**6, device=x.device)
        x.flatten()[index]
        return torch.relu(x)
