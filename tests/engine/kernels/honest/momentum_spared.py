"""A new parameter; the momentum is left as it was, and the parameter too."""

TASK = "momentum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["inputs_spared"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, parameter, momentum, gradient):
        return parameter - 0.1 * (0.9 * momentum + gradient)
