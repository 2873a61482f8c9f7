import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The backward pass of silu(gate) * up: both gradients for an upstream gradient, stacked."""

    def __init__(self):
        super().__init__()

    def forward(self, gate: torch.Tensor, up: torch.Tensor, upstream: torch.Tensor) -> torch.Tensor:
        with torch.enable_grad():
            leaves = [gate.detach().requires_grad_(), up.detach().requires_grad_()]
            product = F.silu(leaves[0]) * leaves[1]
            gradients = torch.autograd.grad(product, leaves, upstream)
        return torch.stack(gradients)


rows, width = 128, 384


def get_inputs():
    return [torch.randn(rows, width), torch.randn(rows, width), torch.randn(rows, width)]


def get_init_inputs():
    return []
