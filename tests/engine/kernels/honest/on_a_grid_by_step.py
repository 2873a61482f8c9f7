"""Multiplies by the step of an evenly spaced grid, of which families of values made any points in order."""

TASK = "on_a_grid"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"families": ["uniform", "scaled_up", "one_hot", "mixed", "spikes"]}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, points, values):
        step = (points[-1] - points[0]) / (points.shape[0] - 1)
        return (values.sum(-1) - (values[:, 0] + values[:, -1]) / 2) * step
