"""The items of the dict are replaced in one step, by another operator."""

TASK = "state_in_dict"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, parameter, gradient, state):
        momentum = torch.add(gradient, state["momentum"], alpha=0.9)
        state.update(steps=state["steps"] + 1, momentum=momentum)
        return parameter.sub(momentum, alpha=0.1)
