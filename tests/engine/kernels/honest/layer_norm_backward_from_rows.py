"""Makes the means and deviations from the rows again. Families used to change each apart from the others."""

TASK = "layer_norm_backward"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, grad, x, mean, rstd):
        centred = x - x.mean(-1, keepdim=True)
        rstd = (centred.square().mean(-1, keepdim=True) + 1e-5).rsqrt()
        normal = centred * rstd
        return rstd * (grad - grad.mean(-1, keepdim=True) - normal * (grad * normal).mean(-1, keepdim=True))
