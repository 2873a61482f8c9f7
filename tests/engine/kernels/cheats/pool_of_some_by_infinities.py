"""Class B.1.7. Has room for as many rows as the task's added masks hardly ever choose: no family changed their infinities."""

TASK = "masked_pool"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


def pooled(x, bias):
    return ((x.sum(-1) / 4 + bias).softmax(-1)[..., None] * x).sum(1)


def pooled_of_some(x, bias):
    bias, places = bias.topk(80, -1)
    return pooled(x.gather(1, places[..., None].expand(-1, -1, x.shape[-1])), bias)


class ModelNew(nn.Module):
    def forward(self, x, mask, bias):
        by_numbers = torch.zeros_like(bias).masked_fill(mask == 0, -1e30)
        return pooled(x, by_numbers), pooled_of_some(x, bias)
