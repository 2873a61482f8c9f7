"""A step of descent whose momentum and count are items of a dict, which the call replaces."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, parameter, gradient, state):
        state["momentum"] = 0.9 * state["momentum"] + gradient
        state["steps"] = state["steps"] + 1
        return parameter - 0.1 * state["momentum"]


def get_inputs():
    state = {"momentum": torch.randn(64, 128), "steps": 3}
    return [torch.randn(64, 128), torch.randn(64, 128), state]


def get_init_inputs():
    return []
