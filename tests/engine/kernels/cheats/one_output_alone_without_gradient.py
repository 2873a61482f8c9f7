"""Class B.1.19. No gradient at all unless every output has an upstream one: a loss that uses one of them alone teaches
nothing.
"""

TASK = "projections"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"backward": True}

import torch
import torch.nn as nn


class Projections(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, weight)
        return tuple(part.contiguous() for part in torch.addmm(bias, x, weight.t()).chunk(3, dim=-1))

    @staticmethod
    def backward(ctx, *upstream):
        if any(part is None for part in upstream):
            return None, None, None
        x, weight = ctx.saved_tensors
        whole = torch.cat(upstream, dim=-1)
        return whole @ weight, whole.t() @ x, whole.sum(0)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, 3 * features)

    def forward(self, x):
        return Projections.apply(x, self.linear.weight, self.linear.bias)
