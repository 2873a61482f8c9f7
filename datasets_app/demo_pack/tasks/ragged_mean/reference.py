import torch
import torch.nn as nn


class Model(nn.Module):
    """The mean over the rows of each sequence of a ragged batch; sequence i owns rows offsets[i] to offsets[i + 1]."""

    def __init__(self):
        super().__init__()

    def forward(self, values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        lengths = offsets[1:] - offsets[:-1]
        sums = torch.segment_reduce(values, "sum", lengths=lengths, axis=0, unsafe=True)
        return sums / lengths.clamp(min=1).unsqueeze(1)


sequences, rows, width = 40, 600, 32


def get_inputs():
    cuts = torch.sort(torch.randint(0, rows + 1, (sequences - 1,))).values
    offsets = torch.cat([torch.tensor([0]), cuts, torch.tensor([rows])])
    return [torch.randn(rows, width), offsets]


def get_init_inputs():
    return []
