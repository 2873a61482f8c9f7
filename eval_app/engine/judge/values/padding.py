"""Zeros that lie together, as in padding, blocks and bands: a kernel may leave them out."""

from __future__ import annotations

import torch

from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS

_SAMPLE = 4096


def is_padded(x: torch.Tensor, least_zeros: float) -> bool:
    """Return whether zeros, more than the share `least_zeros` of all, lie together along some dimension: fewer of them
    lie beside another number than of zeros here and there. `x` has any shape and dtype."""
    is_large = x.numel() > CHUNK_ELEMENTS and least_zeros > 0
    if is_large and 0.0 not in x.flatten()[:: x.numel() // _SAMPLE | 1].tolist():
        return False
    share = sum(int((part == 0).sum()) for part in x.reshape(-1).split(CHUNK_ELEMENTS)) / x.numel()
    if not least_zeros < share < 1:
        return False
    zeros, sizes = x == 0, enumerate(x.shape)
    lone = [
        int((zeros.narrow(dim, 1, size - 1) != zeros.narrow(dim, 0, size - 1)).sum())
        / ((size - 1) * x.numel() / size)
        for dim, size in sizes
        if size > 1
    ]
    return min(lone) < share * (1 - share)  # half of what zeros here and there give
