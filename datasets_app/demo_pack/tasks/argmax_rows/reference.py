import torch
import torch.nn as nn


class Model(nn.Module):
    """The position of the largest score of each row; of equal scores the first one wins."""

    def __init__(self):
        super().__init__()

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        return torch.argmax(scores, dim=1)


rows, columns = 180, 210


def get_inputs():
    # Scores in steps of a quarter, as a quantised ranker gives them: equal scores are common.
    return [torch.round(torch.randn(rows, columns) * 4) / 4]


def get_init_inputs():
    return []
