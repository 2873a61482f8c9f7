"""Imports a module that does not exist."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["load_error"], "findings": []}

import a_module_that_is_nowhere
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return a_module_that_is_nowhere.relu(x)
