"""Guilty-looking: the first call is captured as a graph, and later ones copy their input into its buffer."""

TASK = "tanh_layer"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class Inner(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, x):
        return torch.tanh(self.linear(torch.relu(x)) * 0.5)


class ModelNew(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.linear = nn.Linear(features, hidden)
        self.graphed = {}

    def forward(self, x):
        if x.shape not in self.graphed:
            for parameter in self.linear.parameters():
                parameter.requires_grad_(False)
            self.graphed[x.shape] = torch.cuda.make_graphed_callables(Inner(self.linear).eval(), (torch.zeros_like(x),))
        return self.graphed[x.shape](x).clone()
