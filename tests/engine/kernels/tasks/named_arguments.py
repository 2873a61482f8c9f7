import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, batch):
        return batch["x"] * batch["scale"]


def get_inputs():
    return [{"x": torch.randn(64, 128), "scale": torch.rand(128) + 0.5}]


def get_init_inputs():
    return []
