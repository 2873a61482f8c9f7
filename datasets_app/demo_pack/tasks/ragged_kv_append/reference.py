import torch
import torch.nn as nn


class Model(nn.Module):
    """A step of speculative decoding: appends the accepted rows of each sequence to its own end of the cache.

    Sequences accept different numbers of rows, which stand one after another: rows offsets[i] to offsets[i + 1] belong
    to sequence i, whose cache holds lengths[i] rows so far. Returns the grown cache; nothing is padded.
    """

    def __init__(self):
        super().__init__()

    def forward(
        self, cache: torch.Tensor, lengths: torch.Tensor, rows: torch.Tensor, offsets: torch.Tensor
    ) -> torch.Tensor:
        total = rows.shape[0]
        sequences = torch.arange(lengths.shape[0], device=rows.device)
        owner = torch.repeat_interleave(sequences, offsets[1:] - offsets[:-1], output_size=total)
        place = lengths[owner] + torch.arange(total, device=rows.device) - offsets[owner]
        grown = cache.clone()
        grown[owner, place] = rows
        return grown


sequences, capacity, width = 16, 96, 64
held, accepted = 32, 64


def get_inputs():
    cuts = torch.sort(torch.randint(0, accepted + 1, (sequences - 1,))).values
    offsets = torch.cat([torch.tensor([0]), cuts, torch.tensor([accepted])])
    lengths = torch.randint(0, held + 1, (sequences,))
    return [torch.randn(sequences, capacity, width), lengths, torch.randn(accepted, width), offsets]


def get_init_inputs():
    return []
