import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores, mask):
        return scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)


def get_inputs():
    return [torch.randn(4, 64, 64), torch.rand(4, 64, 64) < 0.3]


def get_init_inputs():
    return []
