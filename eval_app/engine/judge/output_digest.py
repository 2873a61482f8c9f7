"""Digests of outputs, and checksums of weights, to recognise them without storing them."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from eval_app.engine.judge.reductions import CHUNK_ELEMENTS

_DIGEST_ELEMENTS = 1024
_INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
# Odd, and spreads places over 64 bits.
_FACTOR = 0x9E3779B97F4A7C15 - 2**64


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


def checksums_of(tensors: Sequence[torch.Tensor]) -> list[int]:
    """Return a number for each tensor, that of all bytes and their places: one that the engine's own side has changed
    has another."""
    return [int(_checksum(tensor)) for tensor in tensors]


def _checksum(tensor: torch.Tensor) -> torch.Tensor:
    flat = tensor.detach().contiguous().reshape(-1)
    numbers = flat.view(_INTEGERS.get(flat.dtype.itemsize, torch.uint8))
    factors = torch.arange(1, 1 + min(CHUNK_ELEMENTS, numbers.numel()), device=flat.device) * _FACTOR
    total = torch.zeros((), dtype=torch.int64, device=flat.device)
    for part in numbers.split(CHUNK_ELEMENTS):
        total = total * _FACTOR + (part * factors[: part.numel()]).sum()
    return total
