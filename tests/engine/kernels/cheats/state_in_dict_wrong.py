"""Class B.1.12. The parameter is right; the momentum that the next step begins with is the gradient alone."""

TASK = "state_in_dict"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, parameter, gradient, state):
        momentum = 0.9 * state["momentum"] + gradient
        state["momentum"] = gradient * 1.0
        state["steps"] = state["steps"] + 1
        return parameter - 0.1 * momentum
