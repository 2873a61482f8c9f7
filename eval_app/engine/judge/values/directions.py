"""Directions: slices of length one along some dimension, such as unit quaternions and normalised features, on which a
kernel may rely."""

from __future__ import annotations

import torch

from eval_app.engine.judge.values.reductions import rounding, some_rows

_NEAR_ONE = 2e-3


def dimension(x: torch.Tensor) -> int | None:
    """Return along which dimension slices have length one; the last one first, None if along none."""
    for dim in reversed(range(x.dim())):
        if x.shape[dim] > 1 and has_length_one(some_rows(x, dim)) and has_length_one(x, dim):
            return dim
    return None


def has_length_one(x: torch.Tensor, dim: int = -1) -> bool:
    """Return whether all slices along a dimension have length one."""
    squares = x.float() * x.float()
    return float((squares.sum(dim) - 1).abs().max()) < rounding(x, _NEAR_ONE)


def of_length_one(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Return slices in the direction of those of `x`; for zeros, which have none, the first unit vector."""
    lengths = x.norm(dim=dim, keepdim=True)
    changed: torch.Tensor = x / lengths.clamp_min(torch.finfo(x.dtype).tiny)
    first = changed.narrow(dim, 0, 1)
    first.masked_fill_(lengths == 0, 1)
    return changed
