"""Mixes the two experts with the largest scores, and takes the value of each row that is furthest from zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, scores, experts):
        weights, places = scores.softmax(-1).topk(2, -1)
        mixed = torch.zeros_like(x)
        for number, expert in enumerate(experts):
            mixed = mixed + (weights * (places == number)).sum(-1, keepdim=True) * (x @ expert)
        return mixed, x.gather(-1, x.abs().argmax(-1, keepdim=True))


def get_inputs():
    return [torch.randn(64, 16), torch.randn(64, 8), torch.randn(8, 16, 16)]


def get_init_inputs():
    return []
