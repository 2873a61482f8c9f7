"""Digests of outputs, and checksums of inputs and weights, to recognise them without storing them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import torch

_DIGEST_ELEMENTS = 1024
# Words of 64 bits that are summed at once.
_WORDS = 2**17


def digest_of(tensor: torch.Tensor) -> torch.Tensor:
    """Return at most 1024 elements of a tensor, shape [n], same dtype, on the CPU.

    Their places are random but the same for every tensor of a size: evenly spaced ones can fall into one
    column.
    """
    flat = tensor.reshape(-1)
    if flat.numel() <= _DIGEST_ELEMENTS:
        return flat.cpu()
    places = torch.randint(
        flat.numel(), (_DIGEST_ELEMENTS,), generator=torch.Generator().manual_seed(flat.numel())
    )
    return flat[places.to(flat.device)].cpu()


def varied(sample: torch.Tensor) -> bool:
    """Return whether enough elements of a digest differ: a nearly constant output is recognised by nothing, and a few
    whole numbers or flags are equal by chance."""
    enough = min(8, sample.numel() // 4) if sample.is_floating_point() or sample.is_complex() else 8
    return len(set(sample.tolist())) > max(1, enough)


def checksum(tensors: Sequence[torch.Tensor]) -> tuple[int, ...]:
    """Return what tensors of any dtypes that hold the same bytes have in common, and hardly any others: sums of all of
    their words with random weights, made on their device."""
    sums, sizes = [], []
    for tensor in tensors:
        flat = tensor.contiguous().reshape(-1).view(torch.uint8)
        sizes.append(len(flat))
        sums += [_weighted_sum(part) for part in flat.split(8 * _WORDS) if len(part)]
    return (*sizes, *(torch.stack(sums).tolist() if sums else ()))


def _weighted_sum(part: torch.Tensor) -> torch.Tensor:
    words = torch.nn.functional.pad(part, (0, -len(part) % 8)).view(torch.int64)
    return (words * _weights(part.device)[: len(words)]).sum()


@cache
def _weights(device: torch.device) -> torch.Tensor:
    generator = torch.Generator().manual_seed(_WORDS)
    return torch.randint(-(2**63), 2**63 - 1, (_WORDS,), generator=generator).to(device)
