"""Records: narrow rows whose columns are of several kinds, such as a place beside a direction, sizes beside corners or
numbers beside measurements; and affine maps, whose last row is the same in each.

A kernel may rely on what holds for a part of each record, as on what holds for a whole input.
"""

from __future__ import annotations

from itertools import groupby

import torch

from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS, rounding, same

# Columns of a record, and records that are looked at, at least and before all others.
_WIDEST, _LEAST_RECORDS, _FIRST = 16, 32, 64
# Rows and columns of affine maps of the plane and of space.
_AFFINE = (3, 4)
_NEAR_ONE = 2e-3

# Along which dimension an input is split, and into pieces of which sizes.
Split = tuple[int, list[int]]


def find(x: torch.Tensor) -> Split | None:
    """Return how a tensor of finite numbers is made of parts of several kinds; None for most, which are of one."""
    if x.dim() < 2 or not 2 <= x.shape[-1] <= _WIDEST or x.numel() > CHUNK_ELEMENTS:
        return None
    if _is_affine(x):
        return x.dim() - 2, [x.shape[-2] - 1, 1]
    rows = x.reshape(-1, x.shape[-1])
    if len(rows) < _LEAST_RECORDS or len(_sizes(rows[:_FIRST])) == 1:  # most tensors are not looked through
        return None
    sizes = _sizes(rows)
    return (x.dim() - 1, sizes) if len(sizes) > 1 else None


def _sizes(rows: torch.Tensor) -> list[int]:
    """Return how many columns of one kind are beside each other, from the first to the last."""
    directed = _directed(rows)
    kinds = [(kind, place in directed) for place, kind in enumerate(_kinds(rows))]
    return [len(list(group)) for _, group in groupby(kinds)]


def _is_affine(x: torch.Tensor) -> bool:
    size = x.shape[-1]
    if size not in _AFFINE or x.shape[-2] != size:
        return False
    one = torch.eye(size, dtype=x.dtype, device=x.device)
    return same(x[..., -1, :], one[-1].expand_as(x[..., -1, :])) and not same(x, one.expand_as(x))


def _kinds(rows: torch.Tensor) -> list[tuple[int, bool]]:
    """Return the sign of each column, 0 where it has both, and whether it holds whole numbers."""
    least, most = rows.amin(0).tolist(), rows.amax(0).tolist()
    signs = [1 if low >= 0 else -1 if high <= 0 else 0 for low, high in zip(least, most, strict=True)]
    whole = (rows == rows.round()).all(0).tolist()
    return list(zip(signs, whole, strict=True))


def _directed(rows: torch.Tensor) -> range:
    """Return the columns, some and not all, in which each row is a direction; the most that are together."""
    width = rows.shape[1]
    sums = torch.nn.functional.pad(rows.double().square().cumsum(1), (1, 0))
    spans = [range(start, end) for start in range(width) for end in range(start + 2, width + 1)]
    lengths = [sums[:, span.stop] - sums[:, span.start] for span in spans]
    room = rounding(rows, _NEAR_ONE)
    found = (
        span
        for span, length in zip(spans, lengths, strict=True)
        if len(span) < width and float((length - 1).abs().max()) < room
    )
    return max(found, key=len, default=range(0))
