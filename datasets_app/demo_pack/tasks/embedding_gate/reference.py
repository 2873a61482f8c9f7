import torch
import torch.nn as nn


class Model(nn.Module):
    """Rows of an embedding table, each multiplied by the gate of its token."""

    def __init__(self, tokens: int, width: int):
        super().__init__()
        self.table = nn.Embedding(tokens, width)

    def forward(self, ids: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        return self.table(ids) * gate.unsqueeze(-1)


tokens, width = 500, 48
batch, length = 8, 37


def get_inputs():
    return [torch.randint(0, tokens, (batch, length)), torch.rand(batch, length)]


def get_init_inputs():
    return [tokens, width]
