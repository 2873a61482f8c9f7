import torch
import torch.nn as nn


class Model(nn.Module):
    """Softmax along each row over one span [start, end) of its columns; zero outside."""

    def __init__(self):
        super().__init__()

    def forward(self, scores: torch.Tensor, start: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
        column = torch.arange(scores.shape[1], device=scores.device)
        inside = (column >= start.unsqueeze(1)) & (column < end.unsqueeze(1))
        return torch.softmax(scores.masked_fill(~inside, float("-inf")), dim=1)


rows, columns = 128, 150


def get_inputs():
    start = torch.randint(0, columns - 1, (rows,))
    length = torch.randint(1, 60, (rows,))
    end = torch.minimum(start + length, torch.tensor(columns))
    return [torch.randn(rows, columns) * 6, start, end]


def get_init_inputs():
    return []
