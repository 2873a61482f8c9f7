"""A softmax of scores some of which are masked by infinities, and the means of rows of which some values are missing."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores, values):
        return torch.softmax(scores, -1), values.nanmean(-1)


def get_inputs():
    scores, values = torch.randn(64, 128), torch.randn(64, 128)
    scores = scores.masked_fill(torch.rand(64, 128) < 0.2, float("-inf"))
    return [scores, values.masked_fill(torch.rand(64, 128) < 0.2, float("nan"))]


def get_init_inputs():
    return []
