"""Digests of outputs, to recognise them without storing them."""

from __future__ import annotations

import torch

_DIGEST_ELEMENTS = 1024


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
