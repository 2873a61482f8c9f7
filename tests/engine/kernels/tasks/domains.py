"""Values in forms that a task may rely on: rows in descending order, numbers well above zero, labels as whole floats."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, ranked, spread, labels):
        peak = ranked.amax(-1, keepdim=True)
        counts = torch.nn.functional.one_hot(labels.long().clamp(0, 9), 10).float().sum(1)
        return torch.exp(ranked - peak).sum(-1), torch.sqrt(spread), counts


def get_inputs():
    ranked = torch.randn(64, 32).sort(-1, descending=True).values
    return [ranked, torch.rand(64, 32) + 0.5, torch.randint(0, 10, (64, 32)).float()]


def get_init_inputs():
    return []
