"""Class B.1.19. A backward pass that reads the upstream gradient's memory in order, as a kernel does that is given its
address alone: right for a contiguous one, wrong after `y.t()` and `y.sum()`.
"""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"backward": True}

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def in_memory(tensor):
    """Read as many elements as the tensor has from its address on, and zeros where its memory ends."""
    held = tensor.untyped_storage().nbytes() // tensor.element_size() - tensor.storage_offset()
    elements = tensor.as_strided((min(held, tensor.numel()),), (1,))
    return F.pad(elements, (0, tensor.numel() - elements.numel())).view(tensor.shape)


class Gelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return F.gelu(x)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        slope = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        slope += x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return in_memory(upstream) * slope


class ModelNew(nn.Module):
    def forward(self, x):
        return Gelu.apply(x)
