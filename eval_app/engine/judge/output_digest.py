"""Knowing an output again without keeping all of it."""

from __future__ import annotations

import torch

_DIGEST_ELEMENTS = 1024


def digest_of(tensor: torch.Tensor) -> torch.Tensor:
    """Elements from all over a tensor, on the CPU: enough to know it again.

    Their places are drawn, the same for every tensor of a size: evenly spaced ones can fall on one column.
    """
    flat = tensor.reshape(-1)
    if flat.numel() <= _DIGEST_ELEMENTS:
        return flat.cpu()
    places = torch.randint(
        flat.numel(), (_DIGEST_ELEMENTS,), generator=torch.Generator().manual_seed(flat.numel())
    )
    return flat[places.to(flat.device)].cpu()


def varied(sample: torch.Tensor) -> bool:
    """Whether enough of its elements differ: one that is nearly one value throughout is recognised by nothing."""
    return len(set(sample.tolist())) > max(1, min(8, sample.numel() // 4))
