"""A router of experts: the two best of eight by their sigmoid and a bias, and their weights."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, experts, bias):
        scores = torch.sigmoid(x @ experts)
        places = (scores + bias).topk(2).indices
        weights = scores.gather(-1, places)
        return weights / weights.sum(dim=-1, keepdim=True), places


def get_inputs():
    return [torch.randn(64, 32), torch.randn(32, 8) / 8, torch.zeros(8)]


def get_init_inputs():
    return []
