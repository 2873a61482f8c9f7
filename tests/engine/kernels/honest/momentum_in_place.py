"""All in place, as the reference, with another order of roundings."""

TASK = "momentum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, parameter, momentum, gradient):
        momentum.copy_(gradient + momentum * 0.9)
        return parameter.add_(momentum * -0.1)
