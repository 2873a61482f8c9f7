"""Reductions made of sums and maxima alone, and in chunks where they are wider than the tensor: a second form of a
large tensor may not fit on the device.

Each job has a process of its own, and on a GPU the first use of each kind of kernel there loads it, which takes 5 to
25 ms: as long as a dozen calls of a small task. Sums and maxima are loaded in any case.
"""

from __future__ import annotations

import math

import torch

CHUNK_ELEMENTS = 2**22
# Rows that are looked at, and of tensors of several dimensions slices of each.
_ROWS, _SLICES = 64, 8


def smallest(x: torch.Tensor) -> float:
    """Return the smallest value of a non-empty tensor of floating-point numbers; NaN if there is one."""
    return -float((0 - x).max())


def count_different(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return how many elements of two flat tensors of one size differ, as an int64 tensor of shape []; NaN differs.

    On a GPU torch sums bools as int64, eight bytes for each element.
    """
    chunks = zip(left.split(CHUNK_ELEMENTS), right.split(CHUNK_ELEMENTS), strict=True)
    counts = [(a != b).sum() for a, b in chunks]
    return counts[0] if len(counts) == 1 else torch.stack(counts).sum()


def same(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Return whether all elements of two tensors of one shape are equal; NaN equals nothing."""
    return not int(count_different(left.reshape(-1), right.reshape(-1)))


def rms(values: torch.Tensor) -> float:
    """Return the root mean square of the finite values of a flat tensor; 0 for integers."""
    if not values.is_floating_point():
        return 0.0
    total, count = 0.0, 0
    for start in range(0, values.numel(), CHUNK_ELEMENTS):
        part = values[start : start + CHUNK_ELEMENTS].float()
        squares = float((part * part).sum())
        if not math.isfinite(squares):
            part = part[torch.isfinite(part)].double()
            squares = float((part * part).sum())
        total, count = total + squares, count + part.numel()
    return math.sqrt(total / count) if count else 0.0


def mean(values: torch.Tensor) -> float:
    """Return the mean of a flat tensor of floating-point numbers; 0 if it is empty."""
    total = sum(float(part.double().sum()) for part in values.split(CHUNK_ELEMENTS))
    return total / max(1, values.numel())


def rounding(x: torch.Tensor, least: float) -> float:
    """Return how far sums of values in the dtype of `x` may be from one: `least`, or more by their rounding."""
    return max(least, 2 * torch.finfo(x.dtype).eps)


def some_rows(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Return rows along a dimension, shape [m, n]: the first ones of the last dimension, or of slices of all others."""
    if dim == x.dim() - 1:
        return x.reshape(-1, x.shape[-1])[:_ROWS]
    for other, size in enumerate(x.shape):
        x = x if other == dim else x.narrow(other, 0, min(size, _SLICES))
    return x.movedim(dim, -1).reshape(-1, x.shape[dim])


def filled(like: torch.Tensor, value: float) -> torch.Tensor:
    """Return a tensor of one value, with the shape and dtype of `like`.

    Eight-bit formats get the nearest number that they hold: torch refuses to fill them with one that they do not, such
    as a zero in e8m0.
    """
    if like.dtype.itemsize > 1:
        return torch.full_like(like, value)
    return torch.full_like(like, value, dtype=torch.float32).to(like.dtype)
