"""The input gradient of a layer norm, with the means and deviations of its rows given beside them."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, grad, x, mean, rstd):
        normal = (x - mean) * rstd
        return rstd * (grad - grad.mean(-1, keepdim=True) - normal * (grad * normal).mean(-1, keepdim=True))


def get_inputs():
    x = torch.randn(64, 256) * 2 + 1
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return [torch.randn(64, 256), x, mean, (variance + 1e-5).rsqrt()]


def get_init_inputs():
    return []
