import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.softmax(-1), x.softmax(-1).var(-1).mean().item()


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return []
