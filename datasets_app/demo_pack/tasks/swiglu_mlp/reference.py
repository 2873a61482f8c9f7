import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A gated feed-forward block: down(silu(gate(x)) * up(x)), without biases."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


rows, width, hidden = 28, 48, 112


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return [width, hidden]
