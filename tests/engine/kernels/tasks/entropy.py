"""The entropy of each row of probabilities, and how far it is from another's."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, p, q):
        return -(p * p.log()).sum(-1), (p * (p / q).log()).sum(-1)


def get_inputs():
    return [torch.softmax(torch.randn(128, 64), -1), torch.softmax(torch.randn(128, 64), -1)]


def get_init_inputs():
    return []
