"""Three projections with a backward pass by hand, for a loss that uses some of them alone, for a first layer, whose input
needs no gradient, and beside frozen weights.
"""

TASK = "projections"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class Projections(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, weight)
        return tuple(torch.addmm(b, x, w.t()) for w, b in zip(weight.chunk(3), bias.chunk(3), strict=True))

    @staticmethod
    def backward(ctx, *upstream):
        x, weight = ctx.saved_tensors
        size = weight.shape[0] // 3
        used = [(g.contiguous(), slice(n * size, (n + 1) * size)) for n, g in enumerate(upstream) if g is not None]
        of_x = of_weight = of_bias = None
        if ctx.needs_input_grad[0]:
            of_x = sum(g @ weight[rows] for g, rows in used)
        if ctx.needs_input_grad[1]:
            of_weight, of_bias = torch.zeros_like(weight), x.new_zeros(3 * size)
            for g, rows in used:
                of_weight[rows], of_bias[rows] = g.t() @ x, g.sum(0)
        return of_x, of_weight, of_bias


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, 3 * features)

    def forward(self, x):
        return Projections.apply(x, self.linear.weight, self.linear.bias)
