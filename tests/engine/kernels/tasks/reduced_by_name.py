import torch
import torch.nn as nn


class Model(nn.Module):
    """Takes the name of a reduction, which the task never varies."""

    def forward(self, x, y, reduction):
        loss = (x - y).square()
        return loss.mean() if reduction == "mean" else loss.sum()


def get_inputs():
    return [torch.randn(256, 128), torch.randn(256, 128), "mean"]


def get_init_inputs():
    return []
