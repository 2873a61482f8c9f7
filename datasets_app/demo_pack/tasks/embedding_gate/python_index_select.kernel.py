import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, tokens: int, width: int):
        super().__init__()
        self.table = nn.Embedding(tokens, width)

    def forward(self, ids: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        rows = torch.index_select(self.table.weight, 0, ids.reshape(-1))
        return rows.mul_(gate.reshape(-1, 1)).view(*ids.shape, -1)
